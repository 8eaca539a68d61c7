/**
 * SHA-256 of the table that vectors are made with. Vectors of different tables can't be compared: to replace the table,
 * change this digest and raise the version of the read model `snippets`, which then makes all vectors anew.
 */
export const tableDigest = "c846e04eeacea6afdd506a03dfbad2089cd52422f723772b083cdf99b8a1ccd6"

/** SHA-256 of the bank of docstrings that tells how near a snippet is to everything. */
export const bankDigest = "96f3f84de09fc1d8d9964eff0bb5fc03e42a3f8e62abc7ab48624221727f7043"
