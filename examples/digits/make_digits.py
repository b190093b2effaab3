"""Writes digits.u8: 1,797 handwritten digits of 8 x 8, from the copy inside scikit-learn (UCI, CC BY 4.0; Alpaydin and Kaynak 1998).

Each row is 64 bytes of ink (0 to 16) and one byte with the digit. The file is in the repository; this is how it was made.
"""

from pathlib import Path

from sklearn.datasets import load_digits

digits = load_digits()
rows = b"".join(bytes(image.astype("u1")) + bytes([label]) for image, label in zip(digits.data, digits.target))
Path(__file__).with_name("digits.u8").write_bytes(rows)
