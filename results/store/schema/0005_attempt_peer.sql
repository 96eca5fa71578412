-- With which other cells the scores of an attempt compare its cell: metrics over seeds. An attempt at
-- a cell by itself has none.
CREATE TABLE attempt_peer (
  attempt TEXT NOT NULL REFERENCES attempt (id),
  cell TEXT NOT NULL REFERENCES cell (key),
  PRIMARY KEY (attempt, cell)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempt_peer_is_not_changed BEFORE UPDATE ON attempt_peer
BEGIN SELECT RAISE(ABORT, 'peers are append-only'); END;
CREATE TRIGGER attempt_peer_is_not_deleted BEFORE DELETE ON attempt_peer
BEGIN SELECT RAISE(ABORT, 'peers are append-only'); END;
