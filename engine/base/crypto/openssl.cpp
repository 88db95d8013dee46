// SPDX-License-Identifier: Apache-2.0
#include "openssl.h"

#include <QByteArray>

#ifdef Q_OS_LINUX

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <atomic>

#include <dlfcn.h>

namespace {

std::atomic<bool> isLoaded = false;

void *library()
{
    static void *const handle = [] {
        const QByteArray name = "libcrypto.so." + QByteArray::number(OPENSSL_SHLIB_VERSION);
        void *const opened = ::dlopen(name.constData(), RTLD_NOW | RTLD_LOCAL);
        if (!opened) // as the dynamic linker would have refused the program
            qFatal("glovebox: %s can't be loaded", name.constData());
        isLoaded = true;
        return opened;
    }();
    return handle;
}

template<typename Function> Function *found(const char *name)
{
    void *const symbol = ::dlsym(library(), name);
    if (!symbol)
        qFatal("glovebox: libcrypto has no %s", name);
    return reinterpret_cast<Function *>(symbol);
}

} // namespace

#define FORWARD(RESULT, NAME, PARAMETERS, ARGUMENTS)                                                                   \
    RESULT NAME PARAMETERS                                                                                             \
    {                                                                                                                  \
        static const auto real = found<decltype(NAME)>(#NAME);                                                         \
        return real ARGUMENTS;                                                                                         \
    }

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): OpenSSL calls most of its parameters by a letter or two
extern "C" {
FORWARD(int, SHA256_Init, (SHA256_CTX * c), (c))
FORWARD(int, SHA256_Update, (SHA256_CTX * c, const void *data, size_t length), (c, data, length))
FORWARD(int, SHA256_Final, (unsigned char *md, SHA256_CTX *c), (md, c))

FORWARD(int, RAND_bytes, (unsigned char *bytes, int count), (bytes, count))

FORWARD(const EVP_CIPHER *, EVP_aes_256_gcm, (), ())
FORWARD(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (), ())
FORWARD(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX * c), (c))
FORWARD(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX * c, int type, int argument, void *pointer),
        (c, type, argument, pointer))
FORWARD(int, EVP_EncryptInit_ex2,
        (EVP_CIPHER_CTX * c, const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *iv,
         const OSSL_PARAM *parameters),
        (c, cipher, key, iv, parameters))
FORWARD(int, EVP_EncryptUpdate,
        (EVP_CIPHER_CTX * c, unsigned char *out, int *outLength, const unsigned char *in, int inLength),
        (c, out, outLength, in, inLength))
FORWARD(int, EVP_EncryptFinal_ex, (EVP_CIPHER_CTX * c, unsigned char *out, int *outLength), (c, out, outLength))
FORWARD(int, EVP_DecryptInit_ex2,
        (EVP_CIPHER_CTX * c, const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *iv,
         const OSSL_PARAM *parameters),
        (c, cipher, key, iv, parameters))
FORWARD(int, EVP_DecryptUpdate,
        (EVP_CIPHER_CTX * c, unsigned char *out, int *outLength, const unsigned char *in, int inLength),
        (c, out, outLength, in, inLength))
FORWARD(int, EVP_DecryptFinal_ex, (EVP_CIPHER_CTX * c, unsigned char *out, int *outLength), (c, out, outLength))
FORWARD(int, EVP_PBE_scrypt,
        (const char *password, size_t passwordLength, const unsigned char *salt, size_t saltLength, uint64_t n,
         uint64_t r, uint64_t p, uint64_t memory, unsigned char *key, size_t keyLength),
        (password, passwordLength, salt, saltLength, n, r, p, memory, key, keyLength))

// "Quick": with nothing after the name of the type, which is all that an Ed25519 key takes.
FORWARD(EVP_PKEY *, EVP_PKEY_Q_keygen, (OSSL_LIB_CTX * context, const char *properties, const char *type, ...),
        (context, properties, type))
FORWARD(EVP_PKEY *, EVP_PKEY_new_raw_private_key, (int type, ENGINE *engine, const unsigned char *bytes, size_t length),
        (type, engine, bytes, length))
FORWARD(void, EVP_PKEY_free, (EVP_PKEY * key), (key))
FORWARD(int, EVP_PKEY_get_id, (const EVP_PKEY *key), (key))
FORWARD(int, EVP_PKEY_get_raw_private_key, (const EVP_PKEY *key, unsigned char *bytes, size_t *length),
        (key, bytes, length))
FORWARD(int, EVP_PKEY_get_raw_public_key, (const EVP_PKEY *key, unsigned char *bytes, size_t *length),
        (key, bytes, length))
FORWARD(EVP_PKEY *, PEM_read_PrivateKey, (FILE * file, EVP_PKEY **key, pem_password_cb *callback, void *user),
        (file, key, callback, user))
FORWARD(int, PEM_write_PrivateKey,
        (FILE * file, const EVP_PKEY *key, const EVP_CIPHER *cipher, const unsigned char *password, int length,
         pem_password_cb *callback, void *user),
        (file, key, cipher, password, length, callback, user))
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

bool glovebox::opensslIsLoaded()
{
    return isLoaded;
}

#else

bool glovebox::opensslIsLoaded()
{
    return true;
}

#endif
