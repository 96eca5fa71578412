-- Where the attempts at a run's cells were made.
--
--   :run  key of a run
SELECT environment.text AS environment, count(*) AS attempts,
       min(attempt.started_at) AS first, max(attempt.started_at) AS last
FROM run_cell
JOIN attempt ON attempt.cell = run_cell.cell
JOIN environment ON environment.key = attempt.environment
WHERE run_cell.run = :run
GROUP BY environment.key
ORDER BY first, environment.key;
