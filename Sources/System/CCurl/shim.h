// libcurl for Swift, which does not import its variadic functions: one typed function an option.
#ifndef STOREHUB_CCURL_SHIM_H
#define STOREHUB_CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nonnull value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
typedef size_t (*ccurl_write)(char *_Nonnull bytes, size_t size, size_t count, void *_Nonnull context);
static inline CURLcode ccurl_set_writer(CURL *_Nonnull easy, ccurl_write _Nonnull write, void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}
static inline long ccurl_status(CURL *_Nonnull easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

typedef int (*ccurl_on_socket)(CURL *_Nullable easy, curl_socket_t socket, int what, void *_Nonnull context,
                               void *_Nullable unused);
typedef int (*ccurl_on_timer)(CURLM *_Nullable multi, long milliseconds, void *_Nonnull context);
static inline void ccurl_set_callbacks(CURLM *_Nonnull multi, ccurl_on_socket _Nonnull on_socket,
                                       ccurl_on_timer _Nonnull on_timer, void *_Nonnull context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
// The next transfer that is over, and how; NULL when there is none.
static inline CURL *_Nullable ccurl_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

#endif
