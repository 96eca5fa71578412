-- Runs that ask for a sanity ladder, newest first. Driven by the few components that are steps, so
-- it is quick in a large store without any.
SELECT run.key
FROM run
WHERE run.key IN (
  SELECT run_cell.run
  FROM component AS step
  JOIN cell ON cell.explainer = step.key
  JOIN run_cell ON run_cell.cell = cell.key
  WHERE step.kind = 'explainer' AND step.plugin_id = 'random_concepts'
  UNION
  SELECT run_cell.run
  FROM component AS step
  JOIN cell ON cell.model = step.key
  JOIN run_cell ON run_cell.cell = cell.key
  WHERE step.kind = 'model' AND substr(step.plugin_id, 1, 7) = 'ladder_')
ORDER BY run.created_at DESC, run.key;
