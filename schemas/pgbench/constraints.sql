-- Primary keys, then the foreign keys of pgbench --foreign-keys.

ALTER TABLE ONLY public.pgbench_branches
    ADD CONSTRAINT pgbench_branches_pkey PRIMARY KEY (bid);

ALTER TABLE ONLY public.pgbench_tellers
    ADD CONSTRAINT pgbench_tellers_pkey PRIMARY KEY (tid);

ALTER TABLE ONLY public.pgbench_accounts
    ADD CONSTRAINT pgbench_accounts_pkey PRIMARY KEY (aid);

ALTER TABLE ONLY public.pgbench_tellers
    ADD CONSTRAINT pgbench_tellers_bid_fkey FOREIGN KEY (bid)
    REFERENCES public.pgbench_branches(bid);

ALTER TABLE ONLY public.pgbench_accounts
    ADD CONSTRAINT pgbench_accounts_bid_fkey FOREIGN KEY (bid)
    REFERENCES public.pgbench_branches(bid);

ALTER TABLE ONLY public.pgbench_history
    ADD CONSTRAINT pgbench_history_bid_fkey FOREIGN KEY (bid)
    REFERENCES public.pgbench_branches(bid);

ALTER TABLE ONLY public.pgbench_history
    ADD CONSTRAINT pgbench_history_tid_fkey FOREIGN KEY (tid)
    REFERENCES public.pgbench_tellers(tid);

ALTER TABLE ONLY public.pgbench_history
    ADD CONSTRAINT pgbench_history_aid_fkey FOREIGN KEY (aid)
    REFERENCES public.pgbench_accounts(aid);
