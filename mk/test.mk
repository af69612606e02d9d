# Tests.  Each tests/unit/x_test.c is a program linked with all the layers and the writer.
UNIT_SRC := $(wildcard tests/unit/*_test.c)
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/%,$(UNIT_SRC))
CLILESS  := $(filter-out $(B)/libcli.a,$(LIBS))

$(B)/tests/%_test: tests/unit/%_test.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS) -lcmocka
