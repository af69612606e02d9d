# Compilers and flags.  SAN=address|thread builds into build-address, build-thread; V=1 shows commands.
CC       ?= cc
AR       ?= ar
VERSION  := 0.1.0
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter -Wno-missing-field-initializers
OPT      ?= -O2
CPPFLAGS += -D_GNU_SOURCE -Iuapi -Idecoder -Ierts-hooks/writer -DBEAMTAP_VERSION='"$(VERSION)"'
CFLAGS   += -std=gnu11 -g $(OPT) $(WARN) -fPIC -fno-strict-aliasing
LDLIBS   += -lm -lpthread
ifeq ($(SAN),address)
CFLAGS   += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS  += -fsanitize=address,undefined
endif
ifeq ($(SAN),thread)
CFLAGS   += -fsanitize=thread
LDFLAGS  += -fsanitize=thread
endif
ifeq ($(WERROR),1)
CFLAGS   += -Werror
endif
