# The text tests of this plugin, with the settings of test/lit.cfg.py.
import os

lit_config.load_config(
    config, os.path.join(os.path.dirname(__file__), "..", "..", "..", "test", "lit.cfg.py"))
