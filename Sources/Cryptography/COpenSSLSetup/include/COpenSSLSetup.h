// No functions: linking this target configures OpenSSL (setup.c).
#pragma once
