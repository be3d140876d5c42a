/** Where the service is, and whose key is used: a public key, which a page may hold. */
export const service = 'http://127.0.0.1:8080';
export const key = 'pk_test_…';
