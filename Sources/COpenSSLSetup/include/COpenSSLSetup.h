// Nothing to call: linking this target sets OpenSSL up (setup.c).
#pragma once
