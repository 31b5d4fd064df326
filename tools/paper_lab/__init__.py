"""The lab that reruns the paper's experiments: data, experiments, plots, report."""
