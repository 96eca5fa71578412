-- Why a metric has no number for cells that a run asks for, by subject and control, and how often.
--
--   :metric  the metric
--   :run     key of a run
--
-- why: the score's reason; where there is no score the status of the attempt that failed at it, else
-- the cell's state (see the view cell_state).
SELECT cell.dataset AS dataset_key, cell.model AS model_key,
       coalesce(cell.explainer, '') AS explainer_key, cell.control,
       coalesce(current.reason, attempt.status, state.state) AS why,
       coalesce(nullif(score.message, ''), nullif(attempt.message, ''), '') AS message,
       count(*) AS seeds
FROM cell_state AS state
JOIN cell ON cell.key = state.cell
LEFT JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
LEFT JOIN score ON score.attempt = current.attempt AND score.metric = current.metric
LEFT JOIN attempt ON current.cell IS NULL AND attempt.id = (
  SELECT fault.attempt FROM fault
  WHERE fault.cell = cell.key AND (fault.metric IS NULL OR fault.metric = :metric)
  ORDER BY fault.status = 'not_applicable' DESC, fault.status = 'interrupted',
           fault.number DESC, fault.attempt DESC
  LIMIT 1)
WHERE state.run = :run AND current.value IS NULL
GROUP BY cell.dataset, cell.model, cell.explainer, cell.control, why, 6
ORDER BY 1, 2, 3, 4, seeds DESC, why, message;
