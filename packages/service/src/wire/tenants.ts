import type { TenantInput } from '../domain/tenants/tenants.ts'
import type { Tenant } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { TenantBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** The tenant that a body describes. */
export function tenantInput({ name, metadata, settings }: TenantBody): TenantInput {
  return {
    name,
    metadata,
    settings: {
      domain: settings.domain,
      companyName: settings.company_name,
      logoImageText: settings.logo_image_text,
      supportEmail: settings.support_email,
      allowSocial: settings.allow_social,
      allowHardware: settings.allow_hardware,
      allowPasswords: settings.allow_passwords,
      allowTotpApp: settings.allow_totp_app,
      allowTotpEmail: settings.allow_totp_email,
      allowUnverified: settings.allow_unverified,
      rememberDevice: settings.remember_device,
      rememberDeviceSeconds: settings.remember_device_seconds,
      rememberLoginSeconds: settings.remember_login_seconds,
      allowSignups: settings.allow_signups,
      developerMode: settings.developer_mode,
    },
  }
}

/** A tenant as the API answers with it. */
export function serializeTenant({ settings, ...tenant }: Tenant): object {
  return omitZero({
    type: 'Tenant',
    id: tenant.id,
    name: tenant.name,
    created_at: formatTimestamp(tenant.createdAt),
    updated_at: formatTimestamp(tenant.updatedAt),
    metadata: tenant.metadata,
    settings: omitZero({
      domain: settings.domain,
      company_name: settings.companyName,
      logo_image_text: settings.logoImageText,
      support_email: settings.supportEmail,
      allow_social: settings.allowSocial,
      allow_hardware: settings.allowHardware,
      allow_passwords: settings.allowPasswords,
      allow_totp_app: settings.allowTotpApp,
      allow_totp_email: settings.allowTotpEmail,
      allow_unverified: settings.allowUnverified,
      remember_device: settings.rememberDevice,
      remember_device_seconds: settings.rememberDeviceSeconds,
      remember_login_seconds: settings.rememberLoginSeconds,
      allow_signups: settings.allowSignups,
      developer_mode: settings.developerMode,
    }),
  })
}
