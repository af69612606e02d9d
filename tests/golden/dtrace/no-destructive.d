BEGIN { system("echo hi"); }
