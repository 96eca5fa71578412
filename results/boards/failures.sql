-- Why cells are not complete: each attempt that failed at scores which a run asks for and lacks, with
-- these (metrics; NULL: all that the cell lacks) and what it says.
--
--   :run  key of a run; NULL: every run, but of those with one name only the last that was at work:
--         what an edited run file no longer asks for is no failure of it
WITH named_run AS (
  SELECT key, row_number() OVER (
    PARTITION BY name
    ORDER BY max(created_at, coalesce((SELECT max(started_at) FROM attempt
                                       WHERE attempt.run = run.key), '')) DESC, key) AS place
  FROM run),
lacking AS (
  SELECT state.run, state.cell, run_metric.metric
  FROM cell_state AS state
  JOIN run_metric ON run_metric.run = state.run
  WHERE state.state NOT IN ('ok', 'not_applicable')
    AND (state.run = :run
         OR (:run IS NULL AND state.run IN (SELECT key FROM named_run WHERE place = 1)))
    AND NOT EXISTS (SELECT 1 FROM current_score AS current
                    WHERE current.metric = run_metric.metric AND current.cell = state.cell)),
told AS (
  SELECT run, cell, metric,
         (SELECT fault.attempt FROM fault
          WHERE fault.cell = lacking.cell
            AND (fault.metric IS NULL OR fault.metric = lacking.metric)
          ORDER BY fault.status = 'interrupted', fault.number DESC, fault.attempt DESC
          LIMIT 1) AS attempt
  FROM lacking),
failed AS (
  SELECT run, cell, attempt, group_concat(metric, ' ') AS metrics
  FROM (SELECT * FROM told ORDER BY metric)
  WHERE attempt IS NOT NULL
  GROUP BY run, cell, attempt)
SELECT run.name AS run, coalesce(dn.name, d.name) AS dataset, coalesce(mn.name, m.name) AS model,
       coalesce(en.name, e.name) AS explainer,
       cell.control, cell.seed, a.status, a.stage, a.signal, a.exit_code,
       CASE WHEN EXISTS (SELECT 1 FROM score WHERE score.attempt = a.id AND score.reason = 'error')
            THEN failed.metrics END AS metrics,
       a.message, cell.key AS cell
FROM failed
JOIN run ON run.key = failed.run
JOIN cell ON cell.key = failed.cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
LEFT JOIN run_component AS dn ON dn.run = run.key AND dn.component = d.key
LEFT JOIN run_component AS mn ON mn.run = run.key AND mn.component = m.key
LEFT JOIN run_component AS en ON en.run = run.key AND en.component = e.key
JOIN attempt AS a ON a.id = failed.attempt
ORDER BY run.created_at, run.key, dataset, model, explainer, cell.control, cell.seed, cell.key,
         a.number, a.id;
