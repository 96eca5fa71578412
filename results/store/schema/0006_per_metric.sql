-- What is known of a cell is known metric by metric: a score counts whatever became of the others, and
-- an attempt that could not give one says so in a row with the reason 'error'. Attempts are ordered by
-- a number that only grows; their dates tell people when.

-- Of a new attempt: the milliseconds since 1970, or one more than the highest in the store where the
-- clock has stepped back. Equal numbers, of stores that were merged, fall to the greater id.
DROP TRIGGER attempt_is_not_changed;
ALTER TABLE attempt ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE attempt SET number = coalesce(
  strftime('%s', substr(started_at, 1, 19)) * 1000 + CAST(substr(started_at, 21, 3) AS INTEGER), 0);
CREATE TRIGGER attempt_is_not_changed BEFORE UPDATE ON attempt
BEGIN SELECT RAISE(ABORT, 'attempts are append-only'); END;

DROP INDEX attempt_by_cell;
CREATE INDEX attempt_by_cell ON attempt (cell, number, id);
CREATE INDEX attempt_by_number ON attempt (number);

DROP TRIGGER score_becomes_current;
DROP TRIGGER retraction_uncovers_older;
DROP VIEW cell_state;
DROP VIEW good_attempt;

-- Attempts that were not retracted. Where a metric plugin said that it does not apply, attempts from
-- before this schema say so as a whole: it was said of its scores alone.
CREATE VIEW valid_attempt AS
SELECT id, cell, run, environment,
       CASE WHEN status = 'not_applicable' AND stage GLOB 'score*' THEN 'ok' ELSE status END AS status,
       number, started_at, seconds
FROM attempt
WHERE NOT EXISTS (SELECT 1 FROM retraction WHERE retraction.attempt = attempt.id);

-- Why scores are not there. metric NULL: none can be there, for dataset, model or explanation gave
-- nothing, unless a later attempt went well. A store from before this schema does not tell which
-- metrics failed.
CREATE VIEW fault AS
SELECT tried.cell, score.metric, tried.id AS attempt, tried.status, tried.number
FROM valid_attempt AS tried
LEFT JOIN score ON score.attempt = tried.id AND score.reason = 'error'
WHERE tried.status <> 'ok'
  AND (score.metric IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM valid_attempt AS later
                      WHERE later.cell = tried.cell AND later.status = 'ok'
                        AND (later.number, later.id) > (tried.number, tried.id)));

-- current_score: the newest score of a metric and a cell, whatever became of the attempt's others.
CREATE TRIGGER score_becomes_current AFTER INSERT ON score WHEN NEW.reason IS NOT 'error'
BEGIN
  INSERT INTO current_score (metric, cell, attempt, value, reason)
  SELECT NEW.metric, its.cell, its.id, NEW.value, NEW.reason
  FROM valid_attempt AS its
  WHERE its.id = NEW.attempt
  ON CONFLICT (metric, cell) DO UPDATE
    SET attempt = excluded.attempt, value = excluded.value, reason = excluded.reason
    WHERE (SELECT (new_one.number, new_one.id) > (old_one.number, old_one.id)
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
  JOIN valid_attempt AS older ON older.cell = (SELECT cell FROM attempt WHERE id = NEW.attempt)
  JOIN score ON score.attempt = older.id AND score.metric = gone.metric
    AND score.reason IS NOT 'error'
  WHERE gone.attempt = NEW.attempt
  ORDER BY older.number DESC, older.id DESC
  ON CONFLICT (metric, cell) DO NOTHING;
END;

-- Scores that the earlier rules hid, beside a metric that failed or did not apply, count now.
DELETE FROM current_score;
INSERT INTO current_score (metric, cell, attempt, value, reason)
SELECT score.metric, its.cell, its.id, score.value, score.reason
FROM valid_attempt AS its
JOIN score ON score.attempt = its.id AND score.reason IS NOT 'error'
WHERE true
ORDER BY its.number DESC, its.id DESC
ON CONFLICT (metric, cell) DO NOTHING;

-- How each asked cell stands, and the attempt that says so.
--   ok              every metric that the run asks for has a score: a number, or a reason why none
--   not_applicable  there is nothing to compute here
--   unscored        some asked metric has not been tried yet
--   not_tried       no attempt that counts
--   else            the status of the newest attempt that says why an asked score is not there (an
--                   interrupted one only if there is no other: being stopped says nothing of the cell)
CREATE VIEW cell_state AS
SELECT asked.run, asked.cell, said.id AS attempt,
       CASE
         WHEN NOT EXISTS (
           SELECT 1 FROM run_metric
           WHERE run_metric.run = asked.run
             AND NOT EXISTS (SELECT 1 FROM current_score AS current
                             WHERE current.metric = run_metric.metric
                               AND current.cell = asked.cell)) THEN 'ok'
         WHEN said.id IS NULL THEN 'not_tried'
         WHEN said.status = 'ok' THEN 'unscored'
         ELSE said.status
       END AS state
FROM run_cell AS asked
LEFT JOIN valid_attempt AS said ON said.id = coalesce(
  (SELECT fault.attempt FROM fault
   WHERE fault.cell = asked.cell
     AND (fault.metric IS NULL
          OR (EXISTS (SELECT 1 FROM run_metric
                      WHERE run_metric.run = asked.run AND run_metric.metric = fault.metric)
              AND NOT EXISTS (SELECT 1 FROM current_score AS current
                              WHERE current.metric = fault.metric AND current.cell = asked.cell)))
     AND (fault.status <> 'interrupted'
          OR NOT EXISTS (SELECT 1 FROM valid_attempt AS good
                         WHERE good.cell = asked.cell AND good.status = 'ok'))
   ORDER BY fault.status = 'not_applicable' DESC, fault.status = 'interrupted',
            fault.number DESC, fault.attempt DESC
   LIMIT 1),
  (SELECT good.id FROM valid_attempt AS good
   WHERE good.cell = asked.cell AND good.status = 'ok'
   ORDER BY good.number DESC, good.id DESC
   LIMIT 1));
