// cli/program.h: the program: finds the command, runs it, returns its exit code.
#pragma once

#include <span>
#include <string_view>

#include "cli/commands.h"

namespace pale::cli {

inline constexpr std::string_view kVersion = "0.1.0";

int run_program(int argc, char** argv, char** envp);

int run_command(const CommandLine& line);
int shell_command(const CommandLine& line);
int learn_command(const CommandLine& line);
int explain_command(const CommandLine& line);
int doctor_command(const CommandLine& line);
int completion_command(const CommandLine& line);
int help_command(const CommandLine& line);

int project_init_command(const CommandLine& line);
int project_list_command(const CommandLine& line);
int project_show_command(const CommandLine& line);
int project_default_command(const CommandLine& line);
int project_current_command(const CommandLine& line);
int project_remove_command(const CommandLine& line);
int project_rename_command(const CommandLine& line);
int project_move_command(const CommandLine& line);
int project_cleanup_command(const CommandLine& line);
int project_import_command(const CommandLine& line);

int agent_run_command(const CommandLine& line);
int agent_list_command(const CommandLine& line);

int config_list_command(const CommandLine& line);
int config_get_command(const CommandLine& line);
int config_set_command(const CommandLine& line);
int config_add_command(const CommandLine& line);
int config_unset_command(const CommandLine& line);

int stage_list_command(const CommandLine& line);
int stage_show_command(const CommandLine& line);
int stage_diff_command(const CommandLine& line);
int stage_apply_command(const CommandLine& line);
int stage_discard_command(const CommandLine& line);
int stage_undo_command(const CommandLine& line);
int stage_prune_command(const CommandLine& line);

int project_create_command(const CommandLine& line);
int project_update_command(const CommandLine& line);

int workspace_create_command(const CommandLine& line);
int workspace_list_command(const CommandLine& line);
int workspace_show_command(const CommandLine& line);
int workspace_delete_command(const CommandLine& line);

int session_host_command(const CommandLine& line);
int task_host_command(const CommandLine& line);
int session_start_command(const CommandLine& line);
int session_run_command(const CommandLine& line);
int session_end_command(const CommandLine& line);
int session_kill_command(const CommandLine& line);

int worker_list_command(const CommandLine& line);
int worker_show_command(const CommandLine& line);
int worker_check_command(const CommandLine& line);
int worker_call_command(const CommandLine& line);

int scope_validate_command(const CommandLine& line);
int scope_check_file_command(const CommandLine& line);
int scope_infer_command(const CommandLine& line);
int scope_update_command(const CommandLine& line);
int scope_mount_command(const CommandLine& line);
int scope_unmount_command(const CommandLine& line);
int scope_prompt_command(const CommandLine& line);
int loop_init_command(const CommandLine& line);

int approvals_command(const CommandLine& line);
int approve_command(const CommandLine& line);
int deny_command(const CommandLine& line);

int mcp_command(const CommandLine& line);
int tools_command(const CommandLine& line);
int note_command(const CommandLine& line);

// Whatever the keeper does.
int keeper_command(const CommandLine& line);

std::span<const Option> run_options();
std::span<const Option> explain_options();
std::span<const Option> learn_options();
std::span<const Option> json_options();
std::span<const Option> no_options();
std::span<const Option> init_options();
std::span<const Option> project_list_options();
std::span<const Option> project_show_options();
std::span<const Option> project_default_options();
std::span<const Option> cleanup_options();
std::span<const Option> agent_run_options();
std::span<const Option> config_options();
std::span<const Option> config_list_options();
std::span<const Option> stage_options();
std::span<const Option> stage_diff_options();
std::span<const Option> stage_apply_options();
std::span<const Option> stage_discard_options();
std::span<const Option> stage_undo_options();
std::span<const Option> stage_prune_options();
std::span<const Option> worker_options();
std::span<const Option> worker_check_options();
std::span<const Option> worker_call_options();
std::span<const Option> scope_options();
std::span<const Option> scope_where_options();
std::span<const Option> scope_unmount_options();
std::span<const Option> loop_init_options();
std::span<const Option> approvals_options();
std::span<const Option> approve_options();
std::span<const Option> deny_options();
std::span<const Option> project_create_options();
std::span<const Option> project_update_options();
std::span<const Option> project_delete_options();
std::span<const Option> workspace_create_options();
std::span<const Option> workspace_list_options();
std::span<const Option> workspace_show_options();
std::span<const Option> workspace_delete_options();
std::span<const Option> session_start_options();
std::span<const Option> session_run_options();
std::span<const Option> session_end_options();
std::span<const Option> session_kill_options();
std::span<const Option> mcp_options();

}  // namespace pale::cli
