// Nothing: its target owns the precompiled header of all tests (cmake/FedvsTargets.cmake).
