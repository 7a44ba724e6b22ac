//! What must hold at the seams: between projects, users, spellings of a path and damaged files.

mod broken_members;
mod consent;
mod damage;
mod edits;
mod private;
mod redactions;
mod two_projects;

/// What is promised of what breaks, leaks or lies, by the numbers of the list it comes from, and the tests that hold it.
const PROMISES: &[(u8, &str, &[&str])] = &[
    (1, "crates/chunk/tests/linear.rs", &["time_grows_with_the_text"]),
    (1, "crates/ingest/src/cut.rs", &["every_step_within_a_text_hears_a_cancel"]),
    (1, "crates/repo/tests/it/building.rs", &["a_build_hears_a_cancel_within_one_file"]),
    (1, "crates/cli/tests/it/trust/damage.rs", &["a_file_that_no_parser_gets_through_is_named_and_found_all_the_same"]),
    (2, "crates/repo/tests/it/scanning.rs", &["a_pattern_that_takes_long_ends_in_time_and_says_so"]),
    (
        3,
        "crates/mcp/tests/it/http.rs",
        &[
            "half_a_request_holds_nothing",
            "sessions_are_limited_and_end_by_themselves",
            "clients_that_never_say_goodbye_fill_no_memory",
        ],
    ),
    (
        4,
        "crates/cli/tests/it/trust/damage.rs",
        &["a_truncated_database_is_made_anew_and_nothing_that_can_be_read_is_lost"],
    ),
    (
        5,
        "crates/cli/tests/it/trust/damage.rs",
        &["a_flipped_byte_breaks_nothing_off_and_the_next_build_mends_it", "random_damage_is_found_and_mended"],
    ),
    (6, "crates/cli/tests/it/trust/broken_members.rs", &["a_repository_folder_that_is_gone_stops_nothing"]),
    (6, "crates/cli/tests/it/commands/configure.rs", &["a_broken_collection_disables_nothing_else"]),
    (7, "crates/cli/tests/it/trust/private.rs", &["what_can_not_be_written_can_be_read"]),
    (7, "crates/cli/tests/it/trust/damage.rs", &["a_stray_file_among_indexes_does_no_harm"]),
    (7, "crates/cli/tests/it/publishing/registry.rs", &["an_upgrade_does_the_others_where_one_is_missing"]),
    (7, "crates/base/src/error.rs", &["what_breaks_off_is_an_error"]),
    (
        8,
        "crates/cli/tests/it/trust/edits.rs",
        &["parallel_edits_share_a_lock_whatever_the_spelling_and_the_data_folder"],
    ),
    (
        9,
        "crates/cli/tests/it/trust/two_projects.rs",
        &["one_projects_sync_does_not_change_what_another_locked_project_reads"],
    ),
    (10, "crates/cli/tests/it/trust/two_projects.rs", &["an_agents_sync_goes_by_the_lock_and_writes_it"]),
    (
        11,
        "crates/cli/tests/it/trust/edits.rs",
        &["packages_of_a_registry_have_a_folder_each_and_a_newer_index_is_left_alone"],
    ),
    (
        11,
        "crates/collections/src/publish/registry.rs",
        &[
            "the_first_registry_that_has_a_name_decides",
            "only_what_says_that_it_documents_a_dependency_does_and_the_first_registry_decides",
        ],
    ),
    (
        12,
        "crates/cli/tests/it/trust/two_projects.rs",
        &["data_that_somebody_else_reads_is_not_dropped", "an_alias_of_the_same_documents_keeps_them"],
    ),
    (13, "crates/cli/tests/it/sessions.rs", &["transcripts_of_two_machines_are_not_about_the_same_files"]),
    (13, "crates/mcp/tests/it/sessions/tools.rs", &["what_is_shown_is_what_is_on_disk_now"]),
    (13, "crates/mcp/tests/it/sessions/others.rs", &["an_agent_in_a_folder_of_the_project_has_its_sessions"]),
    (13, "crates/session/tests/it/working.rs", &["a_diff_is_of_what_held_one_after_the_other"]),
    (13, "crates/session/tests/it/rendering.rs", &["nothing_is_left_out_of_what_fits"]),
    (
        14,
        "crates/cli/tests/it/trust/broken_members.rs",
        &["builds_that_a_manifest_in_a_workspaces_own_cache_names_are_kept"],
    ),
    (15, "crates/mcp/tests/it/paths.rs", &["what_an_index_leaves_out_is_not_read", "every_tool_reads_the_same_files"]),
    (16, "crates/cli/tests/it/mcp_server.rs", &["over_http_there_is_always_a_token"]),
    (16, "crates/mcp/tests/it/http.rs", &["a_server_for_some_projects_is_for_no_other"]),
    (17, "crates/mcp/tests/it/paths.rs", &["a_session_does_not_follow_a_file_that_became_a_link"]),
    (
        18,
        "crates/cli/tests/it/trust/consent.rs",
        &[
            "a_cloned_repositorys_files_do_not_decide_what_is_read_and_written_outside",
            "a_repositorys_cache_outside_of_it_needs_consent",
            "an_agent_can_not_sync_what_lies_outside",
        ],
    ),
    (
        19,
        "crates/cli/tests/it/trust/private.rs",
        &["what_is_kept_is_the_users_alone_and_what_is_written_for_them_is_not"],
    ),
    (19, "crates/fetch/src/transport/shown.rs", &["secrets_of_a_url_are_not_shown"]),
    (19, "crates/cli/tests/it/commands/output.rs", &["control_characters_in_documents_and_names_are_not_obeyed"]),
    (20, "crates/admit/src/secrets/redact_tests.rs", &["ordinary_code_is_left_alone"]),
    (21, "crates/admit/src/secrets/redact_tests.rs", &["padding_is_no_type_annotation"]),
    (22, "crates/admit/src/secrets/redact_tests.rs", &["weak_passwords_in_configuration"]),
    (23, "crates/admit/src/secrets/examples_tests.rs", &["rules_take_their_value_and_nothing_else"]),
    (23, "crates/admit/src/names.rs", &["near_misses_are_fine_by_name_and_general_patterns_are_not"]),
    (
        24,
        "crates/cli/tests/it/packing/choosing.rs",
        &["a_pack_says_where_secrets_were_taken_out", "a_rule_is_allowed_in_a_file_with_a_reason"],
    ),
    (24, "crates/cli/tests/it/repos/indexing.rs", &["no_secret_reaches_an_index"]),
    (24, "crates/cli/tests/it/odd_input/secrets.rs", &["a_secret_is_in_no_file_of_ours_and_in_no_output"]),
    (25, "crates/cli/tests/it/packing/reports.rs", &["the_reported_size_is_the_size_of_the_bytes_written"]),
    (25, "crates/pack/tests/it/ladder.rs", &["the_default_summary_of_a_large_project_lists_folders_and_stays_short"]),
    (26, "crates/pack/tests/it/ladder.rs", &["a_budgeted_pack_chooses_by_use_not_by_smallness"]),
    (
        27,
        "crates/pack/tests/it/projects.rs",
        &[
            "a_history_of_one_commit_says_nothing_of_change",
            "the_files_of_one_go_package_are_one_hotspot",
            "a_program_is_found_by_its_main_whatever_its_file_is_called",
        ],
    ),
    (27, "crates/ecosystem/src/describe/readme.rs", &["badges_and_entities_are_no_purpose"]),
    (27, "crates/admit/src/pack_tests.rs", &["what_git_tracks_stays_though_it_is_ignored"]),
    (27, "crates/pack/tests/it/hostile.rs", &["what_cannot_be_read_is_not_called_binary"]),
    (28, "crates/cli/tests/it/packing/budget.rs", &["more_than_twenty_parts_are_asked_about"]),
    (28, "crates/cli/tests/it/packing/unpacking.rs", &["the_executable_bit_survives_unpacking"]),
    (29, "crates/cli/tests/it/adding.rs", &["paths_stay_relative_as_they_were_typed"]),
    (29, "crates/cli/tests/it/packages/held.rs", &["the_list_says_what_is_stale_and_why"]),
    (29, "crates/cli/tests/it/packages/manifests.rs", &["without_a_base_files_lie_beside_the_manifest"]),
    (
        29,
        "crates/cli/tests/it/trust/broken_members.rs",
        &[
            "a_category_that_is_none_is_no_collection_that_is_well",
            "a_hit_says_the_version_of_its_package_and_a_lock_is_held_to_its_sizes",
        ],
    ),
    (
        29,
        "crates/cli/tests/it/publishing/registry.rs",
        &["upgrades_stay_within_the_range_and_yanked_versions_are_not_chosen"],
    ),
    (29, "crates/mcp/tests/it/spec2/tool_argument_schemas.rs", &["schemas_give_examples_that_fit"]),
    (29, "crates/repo/src/repo_config.rs", &["a_cache_outside_of_the_repository_needs_its_users_word"]),
    (29, "crates/workspace/src/edit_tests.rs", &["repos_are_added_as_people_would_write_them"]),
    (29, "crates/pack/src/categories.rs", &["categories_follow_the_spec"]),
    (29, "crates/pack/src/key_files.rs", &["limits_hold"]),
    (29, "crates/cli/tests/it/packing/choosing.rs", &["how_files_are_cut_and_decoded_can_be_said"]),
    (29, "crates/admit/src/pack_tests.rs", &["the_folder_of_git_is_listed"]),
    (
        29,
        "crates/cli/tests/it/sessions.rs",
        &["a_write_names_the_version_it_expects", "a_time_before_the_session_began_is_said"],
    ),
];

#[test]
fn every_promise_has_its_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (number, file, tests) in PROMISES {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{number}: {file}: {error}"));
        for test in *tests {
            let at = text.find(&format!("fn {test}(")).unwrap_or_else(|| panic!("{number}: {file} has no `{test}`"));
            let before: Vec<&str> = text[..at].lines().rev().take(6).collect();
            assert!(before.iter().any(|line| line.contains("test")), "{number}: `{test}` of {file} is no test");
            assert!(!before.iter().any(|line| line.contains("#[ignore")), "{number}: `{test}` of {file} is not run");
        }
    }
    for number in 1..=29 {
        assert!(PROMISES.iter().any(|(it, ..)| *it == number), "nothing holds promise {number}");
    }
}
