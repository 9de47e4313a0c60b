import { assertNever } from '@panel/kit/errors';
import {
  MailSettings_Driver,
  MailSettings_Encryption,
  SecuritySettings_RequireTwoFactor,
  Settings as SettingsMessage,
} from '@panel/protos/admin';
import type { Settings } from '../domain/settings.js';

/** Complete message; the logo is optional. */
export function presentSettings(
  { general, mail, security, billing, servers, brand }: Settings,
  withLogo = true,
): SettingsMessage {
  return SettingsMessage.create({
    general: {
      name: general.name,
      url: general.url,
      locale: general.locale,
      timezone: general.timezone,
      currency: general.currency,
      registration: general.registration,
    },
    mail: {
      driver: presentDriver(mail.driver),
      host: mail.host,
      port: mail.port,
      encryption: presentEncryption(mail.encryption),
      username: mail.username,
      password: mail.password,
      fromAddress: mail.fromAddress,
      fromName: mail.fromName,
    },
    security: {
      requireTwoFactor: presentRequireTwoFactor(security.requireTwoFactor),
      sessionsPerUser: security.sessionsPerUser,
    },
    billing: {
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
    servers: {
      defaultMemoryMb: servers.defaultMemoryMb,
      defaultDiskMb: servers.defaultDiskMb,
      defaultCpuPercent: servers.defaultCpuPercent,
      consoleHistoryLines: servers.consoleHistoryLines,
    },
    brand: { ...brand, logo: withLogo ? brand.logo : undefined },
  });
}

function presentDriver(driver: Settings['mail']['driver']): MailSettings_Driver {
  switch (driver) {
    case 'smtp':
      return MailSettings_Driver.SMTP;
    case 'log':
      return MailSettings_Driver.LOG;
    default:
      return assertNever(driver);
  }
}

function presentEncryption(encryption: Settings['mail']['encryption']): MailSettings_Encryption {
  switch (encryption) {
    case 'none':
      return MailSettings_Encryption.NONE;
    case 'starttls':
      return MailSettings_Encryption.STARTTLS;
    case 'tls':
      return MailSettings_Encryption.TLS;
    default:
      return assertNever(encryption);
  }
}

function presentRequireTwoFactor(
  required: Settings['security']['requireTwoFactor'],
): SecuritySettings_RequireTwoFactor {
  switch (required) {
    case 'none':
      return SecuritySettings_RequireTwoFactor.NONE;
    case 'admins':
      return SecuritySettings_RequireTwoFactor.ADMINS;
    case 'all':
      return SecuritySettings_RequireTwoFactor.ALL;
    default:
      return assertNever(required);
  }
}
