-- Most memory that a worker held, by dataset, model and explainer ('' for none), whatever became of it.
SELECT cell.dataset, cell.model, coalesce(cell.explainer, ''), max(a.peak_memory)
FROM cell
JOIN attempt AS a ON a.cell = cell.key
WHERE a.peak_memory IS NOT NULL
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;
