from inspect_kit.api import qa as qa
from inspect_kit.api.certifying import certify as certify
from inspect_kit.api.certifying import verify as verify
from inspect_kit.api.judging import judge as judge
from inspect_kit.api.judging import measure as measure
from inspect_kit.api.judging import sheet as sheet
from inspect_kit.errors import InspectKitError as InspectKitError

__version__: str
