# SPDX-License-Identifier: Apache-2.0
"""What a person has to know to go on, as one sentence."""


class Complaint(Exception):
    pass
