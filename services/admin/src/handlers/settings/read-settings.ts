import type { Settings as SettingsMessage } from '@panel/protos/admin';
import type { SettingsInput } from '../../domain/settings.js';

/** Maps enums to words; unchecked. */
export function readSettings({ general, mail, security, billing, servers, brand }: SettingsMessage): SettingsInput {
  return {
    general: general && {
      name: general.name,
      url: general.url,
      locale: general.locale,
      timezone: general.timezone,
      currency: general.currency,
      registration: general.registration,
    },
    mail: mail && {
      driver: mail.driver && wordOf('DRIVER_', mail.driver),
      host: mail.host,
      port: mail.port,
      encryption: mail.encryption && wordOf('ENCRYPTION_', mail.encryption),
      username: mail.username,
      password: mail.password,
      fromAddress: mail.fromAddress,
      fromName: mail.fromName,
    },
    security: security && {
      requireTwoFactor: security.requireTwoFactor && wordOf('REQUIRE_TWO_FACTOR_', security.requireTwoFactor),
      sessionsPerUser: security.sessionsPerUser,
    },
    billing: billing && {
      taxRatePercent: billing.taxRatePercent,
      taxInclusive: billing.taxInclusive,
      invoiceDaysBefore: billing.invoiceDaysBefore,
      suspendDays: billing.suspendDays,
      terminateDays: billing.terminateDays,
      invoicePrefix: billing.invoicePrefix,
      taxRates: billing.taxRates,
      paymentDays: billing.paymentDays,
      reminderDays: billing.reminderDays,
      sellerName: billing.sellerName,
      sellerAddress: billing.sellerAddress,
      sellerVatNumber: billing.sellerVatNumber,
    },
    servers: servers && {
      defaultMemoryMb: servers.defaultMemoryMb,
      defaultDiskMb: servers.defaultDiskMb,
      defaultCpuPercent: servers.defaultCpuPercent,
      consoleHistoryLines: servers.consoleHistoryLines,
    },
    brand,
  };
}

/** "DRIVER_SMTP" is "smtp"; UNSPECIFIED gives an invalid word. */
function wordOf(prefix: string, value: string): string {
  return value.slice(prefix.length).toLowerCase();
}
