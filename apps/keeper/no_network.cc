// What libgit2 would reach the network with, and never does here: these stand in its place, so that neither it nor what it needs is
// linked into the program.
extern "C" {

int git_smart_subtransport_http(void** /*out*/, void* /*owner*/, void* /*parameter*/) { return -1; }
int git_smart_subtransport_git(void** /*out*/, void* /*owner*/, void* /*parameter*/) { return -1; }
int git_smart_subtransport_ssh(void** /*out*/, void* /*owner*/, void* /*parameter*/) { return -1; }
int git_transport_smart(void** /*out*/, void* /*owner*/, void* /*parameter*/) { return -1; }
int git_transport_local(void** /*out*/, void* /*owner*/, void* /*parameter*/) { return -1; }
int git_transport_ssh_global_init() { return 0; }
int git_openssl_stream_global_init() { return 0; }
int git_mbedtls_stream_global_init() { return 0; }
int git_mbedtls__set_cert_location(const char* /*file*/, const char* /*path*/) { return -1; }
int git_mbedtls_stream_new(void** /*out*/, const char* /*host*/, const char* /*port*/) { return -1; }
int git_mbedtls_stream_wrap(void** /*out*/, void* /*in*/, const char* /*host*/) { return -1; }
extern bool git_http__expect_continue;
extern bool git_smart__ofs_delta_enabled;
bool git_http__expect_continue = false;
bool git_smart__ofs_delta_enabled = true;
}
