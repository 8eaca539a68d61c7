/**
 * SHA-256 of the table that vectors are made with. Vectors of different tables can't be compared: whoever puts another
 * one in its place changes this and raises the version of the read model `snippets`, which then makes all vectors anew.
 */
export const tableDigest = "c846e04eeacea6afdd506a03dfbad2089cd52422f723772b083cdf99b8a1ccd6"
