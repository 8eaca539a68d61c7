type Fields = { readonly [field: string]: unknown }

/** An event's fields as they may be shown: a key's hash and a tenant's secret are for the service alone. */
export const withoutSecrets = ({ _tag, hash, ...data }: Fields): Fields => {
  const text = data["text"] as Fields | null | undefined
  if (text == null || !("secret" in text)) return data
  const { secret, ...rest } = text
  return { ...data, text: rest }
}
