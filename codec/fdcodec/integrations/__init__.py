"""The codec inside other libraries; each module but Pillow's needs the extra of its name."""
