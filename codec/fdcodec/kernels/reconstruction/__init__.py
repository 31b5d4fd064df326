"""From levels to samples: prediction, dequantization, inverse transforms, colours (SPEC 4)."""
