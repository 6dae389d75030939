# cointsp: rounding square roots and the library's GEO distances need the mathematical library.
HOST_LIBS += -lm
