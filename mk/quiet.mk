ifneq ($(V),1)
Q_CC  = @echo "  CC      $@";
Q_AR  = @echo "  AR      $@";
Q_LD  = @echo "  LD      $@";
Q_ERL = @echo "  ERLC    $<";
Q_GEN = @echo "  GEN     $@";
endif
