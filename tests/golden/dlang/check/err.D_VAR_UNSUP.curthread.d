//! -n
BEGIN { trace(curthread->t_procp->p_pidp->pid_id); }
