/** The properties that say in which currency a deal's amounts are. */
export const currencyProperties = ['deal_currency_code', 'amount', 'amount_in_home_currency']

/** The currencies of an account. */
export interface Currencies {
  /** The company's currency, such as `USD`; null if HubSpot does not name it. */
  home: string | null
  /** The properties that hold amounts in the deal's own currency. */
  money: ReadonlySet<string>
}

/** The currency of a company that HubSpot does not name. */
const usual = 'USD'

type Values = Readonly<Record<string, string | null>>

/**
 * Returns a deal's values with amounts in the company's currency, at the rate with which HubSpot has converted
 * its amount; and why amounts without a rate are missing.
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
