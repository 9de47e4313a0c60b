import {
  MailSettings_Driver,
  MailSettings_Encryption,
  SecuritySettings_RequireTwoFactor,
  Settings,
} from '@panel/protos/admin';
import type { z } from 'zod';
import { enumWord, required } from '../../declaration/present.js';
import type { settings, updateSettingsBody } from './schema.js';

type PresentedSettings = z.input<typeof settings>;
type Changes = z.output<typeof updateSettingsBody>;

export function presentSettings(message: Settings | undefined): PresentedSettings {
  const found = required(message, 'settings');
  const { general, security, billing, servers, brand } = found;
  return {
    general: {
      name: general?.name,
      url: general?.url,
      locale: general?.locale,
      timezone: general?.timezone,
      currency: general?.currency,
      registration: general?.registration,
    },
    mail: presentMail(found),
    security: {
      require_2fa: wordOf(security?.requireTwoFactor, 'REQUIRE_TWO_FACTOR_'),
      sessions_per_user: security?.sessionsPerUser,
    },
    billing: {
      tax_rate: billing?.taxRatePercent,
      tax_inclusive: billing?.taxInclusive,
      invoice_days_before: billing?.invoiceDaysBefore,
      suspend_days: billing?.suspendDays,
      terminate_days: billing?.terminateDays,
      invoice_prefix: billing?.invoicePrefix,
      tax_rates: billing?.taxRates,
      payment_days: billing?.paymentDays,
      reminder_days: billing?.reminderDays,
      seller_name: billing?.sellerName,
      seller_address: billing?.sellerAddress,
      seller_vat_number: billing?.sellerVatNumber,
    },
    servers: {
      default_memory: servers?.defaultMemoryMb,
      default_disk: servers?.defaultDiskMb,
      default_cpu: servers?.defaultCpuPercent,
      console_history: servers?.consoleHistoryLines,
    },
    brand: {
      name: brand?.name,
      logo: brand?.logo,
      primary_colour: brand?.primaryColour,
      accent_colour: brand?.accentColour,
    },
  };
}

function presentMail({ mail }: Settings): PresentedSettings['mail'] {
  return {
    driver: wordOf(mail?.driver, 'DRIVER_'),
    host: mail?.host,
    port: mail?.port,
    encryption: wordOf(mail?.encryption, 'ENCRYPTION_'),
    username: mail?.username,
    password: mail?.password,
    from_address: mail?.fromAddress,
    from_name: mail?.fromName,
  };
}

/** The word of an enum value; its type follows from the schema, which lists the same words. */
function wordOf(value: string | undefined, prefix: string): never | undefined {
  return value === undefined || value.endsWith('_UNSPECIFIED') ? undefined : (enumWord(value, prefix) as never);
}

const drivers = { smtp: MailSettings_Driver.SMTP, log: MailSettings_Driver.LOG };
const encryptions = {
  none: MailSettings_Encryption.NONE,
  starttls: MailSettings_Encryption.STARTTLS,
  tls: MailSettings_Encryption.TLS,
};
const twoFactorRules = {
  none: SecuritySettings_RequireTwoFactor.NONE,
  admins: SecuritySettings_RequireTwoFactor.ADMINS,
  all: SecuritySettings_RequireTwoFactor.ALL,
};

export function settingsMessage(changes: Changes): Settings {
  const { general, mail, security, billing, servers, brand } = changes;
  return Settings.create({
    general,
    mail: mail && {
      driver: mail.driver && drivers[mail.driver],
      host: mail.host,
      port: mail.port,
      encryption: mail.encryption && encryptions[mail.encryption],
      username: mail.username,
      password: mail.password,
      fromAddress: mail.from_address,
      fromName: mail.from_name,
    },
    security: security && {
      requireTwoFactor: security.require_2fa && twoFactorRules[security.require_2fa],
      sessionsPerUser: security.sessions_per_user,
    },
    billing: billing && {
      taxRatePercent: billing.tax_rate,
      taxInclusive: billing.tax_inclusive,
      invoiceDaysBefore: billing.invoice_days_before,
      suspendDays: billing.suspend_days,
      terminateDays: billing.terminate_days,
      invoicePrefix: billing.invoice_prefix,
      taxRates: billing.tax_rates,
      paymentDays: billing.payment_days,
      reminderDays: billing.reminder_days,
      sellerName: billing.seller_name,
      sellerAddress: billing.seller_address,
      sellerVatNumber: billing.seller_vat_number,
    },
    servers: servers && {
      defaultMemoryMb: servers.default_memory,
      defaultDiskMb: servers.default_disk,
      defaultCpuPercent: servers.default_cpu,
      consoleHistoryLines: servers.console_history,
    },
    brand: brand && {
      name: brand.name,
      logo: brand.logo,
      primaryColour: brand.primary_colour,
      accentColour: brand.accent_colour,
    },
  });
}
