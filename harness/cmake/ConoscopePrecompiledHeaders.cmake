# Parses the largest headers once per target instead of once per source file, which shortens a build
# from nothing. Only the sanitizers' presets ask for it (CONOSCOPE_PCH): a compiler cache cannot use
# precompiled headers, and they hide a missing #include, which the other presets then show.
set(standard <algorithm> <array> <chrono> <cmath> <filesystem> <functional> <map> <memory> <optional>
             <set> <span> <stdexcept> <string> <string_view> <utility> <vector>)

foreach(target conoscope conoscope_core conoscope_results conoscope_formats)
  target_precompile_headers(${target} PRIVATE ${standard})
endforeach()
foreach(target conoscope_metrics conoscope_methods conoscope_numerics)
  target_precompile_headers(${target} PRIVATE ${standard} <Eigen/Dense>)
endforeach()
if(CONOSCOPE_TESTS)
  foreach(folder datasets datasets_formats harness_core harness_sdk results)
    target_precompile_headers(test_${folder} PRIVATE ${standard} <doctest/doctest.h>)
  endforeach()
  foreach(folder metrics_disentanglement metrics_faithfulness metrics_information metrics_leakage
                 metrics_purity metrics_robustness numerics plugins_explainers)
    target_precompile_headers(test_${folder} PRIVATE ${standard} <doctest/doctest.h> <Eigen/Dense>)
  endforeach()
  target_precompile_headers(test_harness_app PRIVATE ${standard} <doctest/doctest.h>
                            <nlohmann/json.hpp>)
  target_precompile_headers(conoscope_golden PRIVATE ${standard} <doctest/doctest.h> <Eigen/Dense>
                            <nlohmann/json.hpp>)
endif()
