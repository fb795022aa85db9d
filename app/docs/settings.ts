import { formatCount } from '#app/ui/format.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { formatSpan } from '#server/values/units.ts'

/** Returns this installation's settings as text for the guides. */
export function settings() {
  const { config } = sharedServices()
  const { rateLimitPerMinute } = config
  return {
    eventRetentionDays: config.eventRetentionDays,
    fileUrlTtl: formatSpan(config.fileUrlTtlS * 1000),
    requestLimit:
      rateLimitPerMinute === 0
        ? 'no limit'
        : `${formatCount(rateLimitPerMinute)} a minute per token, ${formatCount(3 * rateLimitPerMinute)} for all tokens of a partner together`,
    retryWaits: config.webhookScheduleMs.slice(1).map(formatSpan).join(', '),
    webhookAllowHttp: config.webhookAllowHttp,
    webhookThrottle: formatSpan(config.webhookThrottleMs),
    webhookTimeout: formatSpan(config.webhookTimeoutMs),
  }
}
