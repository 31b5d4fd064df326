"""Every number and name that decides a byte of the container, under its SPEC clause."""

# SPEC 2.1 Signatures
SIGNATURE = b"\x8bFDC\r\n\x1a\n"
COMPACT_SIGNATURE = b"\x8bfdc"

# SPEC 2.2 Version
VERSION = 0

# SPEC 2.3 Chunks. A lower-case first letter marks a chunk that a reader may skip.
CHUNK_OVERHEAD_BYTES = 12
HEADER_CHUNK = b"FHDR"
REFERENCE_CHUNK = b"TREF"
MODEL_CHUNK = b"TFAC"
INDEX_CHUNK = b"TIDX"
DATA_CHUNK = b"DATA"
END_CHUNK = b"FEND"
EXIF_CHUNK = b"exIf"
XMP_CHUNK = b"xMPp"
ICC_CHUNK = b"iCCp"
PIXEL_HASH_CHUNK = b"pHSH"

# SPEC 2.3 and 2.5 Checksums: one CRC-32 in each chunk, one in a compact file
CRC_BYTES = 4

# SPEC 2.4 and 2.5 Model references: leading bytes of the SHA-256 of the model's canonical bytes
COMPACT_REFERENCE_BYTES = 4
REFERENCE_BYTES = 16
HASH_BYTES = 32
