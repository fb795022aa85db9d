/** Properties that determine the currency of a deal's amounts. */
export const currencyProperties = ['deal_currency_code', 'amount', 'amount_in_home_currency']

/** Currencies of an account. */
export interface Currencies {
  /** The company's currency, such as `USD`, or null if HubSpot does not return it. */
  home: string | null
  /** Properties with amounts in the deal's own currency. */
  money: ReadonlySet<string>
}

/** Default for companies whose currency HubSpot does not return. */
const usual = 'USD'

type Values = Readonly<Record<string, string | null>>

/**
 * Converts a deal's amounts to the company's currency at the rate that HubSpot used for the deal's amount.
 * Returns the values, and the reasons for amounts that are missing because there is no rate.
 */
export function inHomeCurrency(
  values: Values,
  { home, money }: Currencies,
): { values: Values; unreadable?: ReadonlyMap<string, string> } {
  const code = (values['deal_currency_code'] ?? '').toUpperCase()
  if (code === '' || code === home) return { values }
  const amount = Number(values['amount'] ?? Number.NaN)
  const converted = values['amount_in_home_currency'] ?? ''
  const rate = converted === '' ? Number.NaN : Number(converted) / amount
  const isUsual = home === null && code === usual && !Number.isFinite(rate)
  if (rate === 1 || isUsual) return { values }
  const changed: Record<string, string | null> = {}
  const unreadable = new Map<string, string>()
  for (const name of money) {
    const value = values[name] ?? ''
    if (value === '') continue
    if (name === 'amount' && converted !== '') changed[name] = converted
    else if (Number.isFinite(Number(value) * rate))
      changed[name] = String(Math.round(Number(value) * rate * 100) / 100)
    else {
      changed[name] = null
      unreadable.set(name, `is in ${code}, and HubSpot does not convert it to ${home ?? usual}`)
    }
  }
  return { values: { ...values, ...changed }, ...(unreadable.size > 0 && { unreadable }) }
}
