-- The first schema. Every key is natural (a content hash or a random id made by the caller), so
-- stores merge by inserting what is missing. Attempts, scores and retractions are only ever added.
-- A value that is not a number is NULL with a reason; exactly one of the two is present.

-- A plugin file as it was loaded; provenance, not identity.
CREATE TABLE plugin (
  kind TEXT NOT NULL CHECK (kind <> ''),
  id TEXT NOT NULL CHECK (id <> ''),
  version TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  file TEXT NOT NULL,
  licence TEXT NOT NULL,
  citation TEXT NOT NULL,
  PRIMARY KEY (kind, id, version, sha256)
) STRICT, WITHOUT ROWID;

-- A dataset, model or explainer with its parameters. key: hash of all but name.
CREATE TABLE component (
  key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('dataset', 'model', 'explainer')),
  plugin_id TEXT NOT NULL,
  plugin_version TEXT NOT NULL,
  params TEXT NOT NULL,   -- canonical text
  content TEXT NOT NULL,  -- hash of the data files, '' if there are none
  name TEXT NOT NULL      -- short, for people: kmeans(k=5)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_key (
  metric TEXT NOT NULL PRIMARY KEY CHECK (metric <> ''),
  grp TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('higher', 'lower', 'none')),
  low REAL,   -- NULL: unbounded
  high REAL,  -- NULL: unbounded
  unit TEXT NOT NULL,
  citation TEXT NOT NULL,
  question TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Where an attempt was made: CPU, compiler, operating system, flags, commit.
CREATE TABLE environment (
  key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  name TEXT NOT NULL,
  file_text TEXT NOT NULL,
  created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z')
) STRICT;

CREATE TABLE cell (
  key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),
  dataset TEXT NOT NULL REFERENCES component (key),
  model TEXT NOT NULL REFERENCES component (key),
  explainer TEXT REFERENCES component (key),  -- NULL: the model itself is judged
  seed INTEGER NOT NULL,
  control TEXT NOT NULL CHECK (control <> '')  -- 'none': the real thing
) STRICT, WITHOUT ROWID;

-- In the order of the boards: a leaderboard reads cells along this index, already grouped.
CREATE INDEX cell_by_subject ON cell (dataset, model, control, explainer, seed);
CREATE INDEX cell_by_model ON cell (model);
CREATE INDEX cell_by_explainer ON cell (explainer);

-- What was asked for. Coverage is counted against these two, never against what came back.
CREATE TABLE run_cell (
  run TEXT NOT NULL REFERENCES run (key),
  cell TEXT NOT NULL REFERENCES cell (key),
  PRIMARY KEY (run, cell)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_cell_by_cell ON run_cell (cell, run);

CREATE TABLE run_metric (
  run TEXT NOT NULL REFERENCES run (key),
  metric TEXT NOT NULL REFERENCES metric_key (metric),
  PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (
  id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  cell TEXT NOT NULL REFERENCES cell (key),
  run TEXT NOT NULL REFERENCES run (key),
  environment TEXT NOT NULL REFERENCES environment (key),
  status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'crashed', 'timeout', 'out_of_memory',
                                         'invalid_output', 'not_applicable', 'interrupted')),
  stage TEXT NOT NULL,     -- where it ended: load, fit, score, ...
  signal INTEGER,          -- NULL: no signal ended it
  exit_code INTEGER,       -- NULL: it did not exit
  message TEXT NOT NULL,
  log_tail TEXT NOT NULL,
  started_at TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??.???Z'),  -- UTC
  seconds REAL NOT NULL CHECK (seconds >= 0),
  peak_memory INTEGER,     -- bytes; NULL: not measured
  binaries TEXT NOT NULL   -- sha256 of the plugin files used
) STRICT;

CREATE INDEX attempt_by_cell ON attempt (cell, status, started_at, id);
CREATE INDEX attempt_by_run ON attempt (run);
CREATE INDEX attempt_by_environment ON attempt (environment);

CREATE TABLE score (
  attempt TEXT NOT NULL REFERENCES attempt (id),
  metric TEXT NOT NULL REFERENCES metric_key (metric),
  value REAL CHECK (value BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308),
  reason TEXT CHECK (reason IN ('nan', 'posinf', 'neginf', 'undefined', 'not_applicable', 'error')),
  PRIMARY KEY (attempt, metric),
  CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;

-- A score taken apart: per sample, concept or output (part counts from 0).
CREATE TABLE sample_score (
  attempt TEXT NOT NULL,
  metric TEXT NOT NULL,
  part INTEGER NOT NULL CHECK (part >= 0),
  value REAL CHECK (value BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308),
  reason TEXT CHECK (reason IN ('nan', 'posinf', 'neginf', 'undefined', 'not_applicable', 'error')),
  PRIMARY KEY (attempt, metric, part),
  FOREIGN KEY (attempt, metric) REFERENCES score (attempt, metric),
  CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;

-- An attempt that no longer counts. The attempt itself stays.
CREATE TABLE retraction (
  attempt TEXT NOT NULL REFERENCES attempt (id),
  reason TEXT NOT NULL,
  at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
  PRIMARY KEY (attempt, reason, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
  id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  kind TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE INDEX event_by_time ON event (at);

-- Attempts whose outcome counts.
CREATE VIEW good_attempt AS
SELECT id, cell, run, environment, status, started_at, seconds
FROM attempt
WHERE status IN ('ok', 'not_applicable')
  AND NOT EXISTS (SELECT 1 FROM retraction WHERE retraction.attempt = attempt.id);

-- The score that counts for a metric and a cell: that of the newest good attempt which has one (a
-- later attempt may have scored further metrics only). Ties in time fall to the greater id.
-- A cache for the boards and nothing else: the triggers below derive it from attempt, score and
-- retraction, it is never merged, and dropping and refilling it would change nothing.
CREATE TABLE current_score (
  metric TEXT NOT NULL,
  cell TEXT NOT NULL,
  attempt TEXT NOT NULL,
  value REAL,
  reason TEXT,
  PRIMARY KEY (metric, cell)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER score_becomes_current AFTER INSERT ON score
BEGIN
  INSERT INTO current_score (metric, cell, attempt, value, reason)
  SELECT NEW.metric, good.cell, good.id, NEW.value, NEW.reason
  FROM good_attempt AS good
  WHERE good.id = NEW.attempt AND good.status = 'ok'
  ON CONFLICT (metric, cell) DO UPDATE
    SET attempt = excluded.attempt, value = excluded.value, reason = excluded.reason
    WHERE (SELECT (new_one.started_at, new_one.id) > (old_one.started_at, old_one.id)
           FROM attempt AS new_one, attempt AS old_one
           WHERE new_one.id = excluded.attempt AND old_one.id = current_score.attempt);
END;

CREATE TRIGGER retraction_uncovers_older AFTER INSERT ON retraction
BEGIN
  DELETE FROM current_score
  WHERE cell = (SELECT cell FROM attempt WHERE id = NEW.attempt)
    AND metric IN (SELECT metric FROM score WHERE attempt = NEW.attempt)
    AND attempt = NEW.attempt;
  INSERT INTO current_score (metric, cell, attempt, value, reason)
  SELECT score.metric, older.cell, older.id, score.value, score.reason
  FROM score AS gone
  JOIN good_attempt AS older
    ON older.cell = (SELECT cell FROM attempt WHERE id = NEW.attempt) AND older.status = 'ok'
  JOIN score ON score.attempt = older.id AND score.metric = gone.metric
  WHERE gone.attempt = NEW.attempt
  ORDER BY older.started_at DESC, older.id DESC
  ON CONFLICT (metric, cell) DO NOTHING;
END;

-- How each asked cell stands, and the attempt that says so: the newest good one, else the newest one
-- (an interrupted one only if there is no other, for being stopped says nothing about the cell).
--   ok              every metric that the run asks for has its score row
--   unscored        good, but some asked metric has no score row yet
--   not_applicable  good: there is nothing to compute here
--   not_tried       no attempt that counts
--   else            the status of a failed attempt
CREATE VIEW cell_state AS
SELECT asked.run, asked.cell, attempt.id AS attempt,
       CASE
         WHEN attempt.id IS NULL THEN 'not_tried'
         WHEN attempt.status = 'ok' AND EXISTS (
           SELECT 1 FROM run_metric
           WHERE run_metric.run = asked.run
             AND NOT EXISTS (SELECT 1 FROM current_score AS current
                             WHERE current.metric = run_metric.metric
                               AND current.cell = asked.cell)) THEN 'unscored'
         ELSE attempt.status
       END AS state
FROM run_cell AS asked
LEFT JOIN attempt ON attempt.id = (
  SELECT candidate.id FROM attempt AS candidate
  WHERE candidate.cell = asked.cell
    AND NOT EXISTS (SELECT 1 FROM retraction WHERE retraction.attempt = candidate.id)
  ORDER BY candidate.status IN ('ok', 'not_applicable') DESC,
           candidate.status = 'interrupted',
           candidate.started_at DESC, candidate.id DESC
  LIMIT 1);

-- Append-only is a promise of the tables, not of the caller's good manners.
CREATE TRIGGER attempt_is_not_changed BEFORE UPDATE ON attempt
BEGIN SELECT RAISE(ABORT, 'attempts are append-only'); END;
CREATE TRIGGER attempt_is_not_deleted BEFORE DELETE ON attempt
BEGIN SELECT RAISE(ABORT, 'attempts are append-only'); END;
CREATE TRIGGER score_is_not_changed BEFORE UPDATE ON score
BEGIN SELECT RAISE(ABORT, 'scores are append-only'); END;
CREATE TRIGGER score_is_not_deleted BEFORE DELETE ON score
BEGIN SELECT RAISE(ABORT, 'scores are append-only'); END;
