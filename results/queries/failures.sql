-- Each asked cell that has failed and has no good attempt, with what its newest attempt says.
--
--   :run  key of a run; NULL: every run
SELECT run.name AS run, d.name AS dataset, m.name AS model, e.name AS explainer,
       cell.control, cell.seed, state.state AS status, a.stage, a.signal, a.exit_code, a.message,
       cell.key AS cell
FROM cell_state AS state
JOIN run ON run.key = state.run
JOIN cell ON cell.key = state.cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
JOIN attempt AS a ON a.id = state.attempt
WHERE (:run IS NULL OR run.key = :run)
  AND state.state NOT IN ('ok', 'not_applicable', 'unscored')
ORDER BY run.created_at, run.key, d.name, m.name, e.name, cell.control, cell.seed, cell.key;
