-- Why scores have no number, and what to mind about those that have one: how often in each run.
--
--   :run  key of a run; NULL: every run
SELECT run.name AS run, score.reason,
       CASE count(DISTINCT score.metric)
         WHEN 1 THEN min(score.metric) ELSE count(DISTINCT score.metric) || ' metrics'
       END AS metric,
       count(*) AS scores, score.message
FROM run
JOIN run_metric ON run_metric.run = run.key
JOIN score ON score.metric = run_metric.metric AND score.message <> ''
JOIN attempt ON attempt.id = score.attempt
JOIN current_score AS current
  ON current.metric = score.metric AND current.cell = attempt.cell AND current.attempt = attempt.id
JOIN run_cell ON run_cell.run = run.key AND run_cell.cell = attempt.cell
WHERE :run IS NULL OR run.key = :run
GROUP BY run.key, score.reason, score.message
ORDER BY run.created_at, run.key, score.reason, scores DESC, score.message;
