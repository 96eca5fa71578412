-- How far each run is: asked cells by state (see the view cell_state).
--
--   :run  key of a run; NULL: every run
--
-- It stands in ON, too, so that the view is not made of every run.
SELECT run.name AS run, run.created_at,
       count(state.cell) AS asked,
       count(*) FILTER (WHERE state IN ('ok', 'not_applicable')) AS good,
       count(*) FILTER (WHERE state = 'unscored') AS unscored,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       count(*) FILTER (WHERE state = 'crashed') AS crashed,
       count(*) FILTER (WHERE state = 'timeout') AS timeout,
       count(*) FILTER (WHERE state = 'out_of_memory') AS out_of_memory,
       count(*) FILTER (WHERE state = 'invalid_output') AS invalid_output,
       count(*) FILTER (WHERE state = 'interrupted') AS interrupted,
       count(*) FILTER (WHERE state = 'not_tried') AS not_tried,
       run.key AS key
FROM run
LEFT JOIN cell_state AS state ON state.run = run.key AND (:run IS NULL OR state.run = :run)
WHERE (:run IS NULL OR run.key = :run)
  -- of all not one of which there are attempts alone, for another run's cells
  AND (:run IS NOT NULL OR state.cell IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.run = run.key))
GROUP BY run.key
ORDER BY run.created_at, run.key;
