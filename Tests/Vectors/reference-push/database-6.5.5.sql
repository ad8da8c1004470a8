--
-- PostgreSQL database dump
--

\restrict px8MATdNWZAseljJV0gH1FqnZBiQXcRo7kbJYqt2wr4LySCcLqSd3L94jVzuZyf

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: smp_servers; Type: TABLE DATA; Schema: ntf_server; Owner: ntf_test_server_user
--

INSERT INTO ntf_server.smp_servers OVERRIDING SYSTEM VALUE VALUES (1, 'localhost', '5001', '\x4c634a554d66566877443879786a41695361447a7a4746332d6b4c4734556830466c5f5a496a7252776a493d', '\x4f00a98296ec96029c5a5b5b6fd67d6c782d5b89c5afd462');


--
-- Data for Name: tokens; Type: TABLE DATA; Schema: ntf_server; Owner: ntf_test_server_user
--

INSERT INTO ntf_server.tokens VALUES ('\xe38aaea7a70071fd4f39ca1d0fa18bbc44dc2a7ae9728822', 'apns_test', '\x65666768', 'ACTIVE', '\x302a300506032b657003210001867de8ee1a037273225e73ba109d3935a1c75582191dce6c8b3c8c19221d8b', '\x302e020100300506032b656e04220420b89df170b588403376b852f3ac5625175b20165a9895be39b017f500772d0d72', '\x519b33c202626eee7056903d4b2acf26dc5bb7d5959b364fb792dd9755b27a37', '\x89b716803bf197a24373093e41a787bad0469b1f2f73f0d4876e888f2103bf8c', 0, NULL, 1795910400);


--
-- Data for Name: subscriptions; Type: TABLE DATA; Schema: ntf_server; Owner: ntf_test_server_user
--

INSERT INTO ntf_server.subscriptions VALUES ('\xde823d1e389bd8cfacd3e8dd01511ae736c2061f3a2e5150', '\xe38aaea7a70071fd4f39ca1d0fa18bbc44dc2a7ae9728822', 1, '\x11c5b512cc76466f6d428f6f6f7ddafb9f1a75f143f26ad4', '\x302e020100300506032b657004220420bfbdb5324afc02facbee5d6f4b346c98f6af1fcf239edce1f93d5c5ba8b24517', 'ACTIVE', true);


--
-- Data for Name: last_notifications; Type: TABLE DATA; Schema: ntf_server; Owner: ntf_test_server_user
--

INSERT INTO ntf_server.last_notifications OVERRIDING SYSTEM VALUE VALUES (1, '\xe38aaea7a70071fd4f39ca1d0fa18bbc44dc2a7ae9728822', '\xde823d1e389bd8cfacd3e8dd01511ae736c2061f3a2e5150', '2026-11-29 14:13:07.220528+00', '\x632369cfce054939e448ea4157b63c69135bb86a09f04309', '\x50f87939a88a662507366a37d0638b0e2a8ecee05b242b32d285b280582168984fe4f6d0602ea8d98304406bc4a820e7eb481b3c87aed697eaea80e6ea047cf38a2184d9d10c14a03f212f3e2b25750e89d4c968921345a24005d8167a8571d9abf297529068228a08c9acadd0c262b8e46a3d476c032b9c8922b7d67bf51f6e4ac35ea3915fbfaddbf2a3e42352f07c');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: ntf_server; Owner: ntf_test_server_user
--

INSERT INTO ntf_server.migrations VALUES ('20250417_initial', '2026-11-29 14:13:06.196154', NULL);
INSERT INTO ntf_server.migrations VALUES ('20250517_service_cert', '2026-11-29 14:13:06.315583', '
DROP INDEX idx_subscriptions_smp_server_id_ntf_service_status;
CREATE INDEX idx_subscriptions_smp_server_id_status ON subscriptions(smp_server_id, status);

ALTER TABLE smp_servers DROP COLUMN ntf_service_id;

ALTER TABLE subscriptions DROP COLUMN ntf_service_assoc;
    ');


--
-- Name: last_notifications_token_ntf_id_seq; Type: SEQUENCE SET; Schema: ntf_server; Owner: ntf_test_server_user
--

SELECT pg_catalog.setval('ntf_server.last_notifications_token_ntf_id_seq', 2, true);


--
-- Name: smp_servers_smp_server_id_seq; Type: SEQUENCE SET; Schema: ntf_server; Owner: ntf_test_server_user
--

SELECT pg_catalog.setval('ntf_server.smp_servers_smp_server_id_seq', 1, true);


--
-- PostgreSQL database dump complete
--

\unrestrict px8MATdNWZAseljJV0gH1FqnZBiQXcRo7kbJYqt2wr4LySCcLqSd3L94jVzuZyf

