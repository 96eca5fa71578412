-- The parts of a metric's scores (see show_parts.sql), of every cell of a run but the controls.
--
--   :metric  the metric
--   :run     key of a run
SELECT cell.dataset AS dataset_key, cell.model AS model_key,
       coalesce(cell.explainer, '') AS explainer_key, cell.seed, part.part, part.value
FROM run_cell
JOIN cell ON cell.key = run_cell.cell AND cell.control = 'none'
JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
JOIN sample_score AS part ON part.attempt = current.attempt AND part.metric = :metric
WHERE run_cell.run = :run
ORDER BY cell.dataset, cell.model, cell.explainer, cell.seed, cell.key, part.part;
