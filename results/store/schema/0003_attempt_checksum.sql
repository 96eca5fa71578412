-- A hash over all that an attempt is: its own row, its cell and components, its scores and their
-- parts (checksum.h). A bit that flips on the disk changes a number, and no rule is broken.
CREATE TABLE attempt_checksum (
  attempt TEXT NOT NULL PRIMARY KEY REFERENCES attempt (id),
  sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempt_checksum_is_not_changed BEFORE UPDATE ON attempt_checksum
BEGIN SELECT RAISE(ABORT, 'checksums are append-only'); END;
CREATE TRIGGER attempt_checksum_is_not_deleted BEFORE DELETE ON attempt_checksum
BEGIN SELECT RAISE(ABORT, 'checksums are append-only'); END;
