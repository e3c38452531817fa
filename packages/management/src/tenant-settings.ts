/**
 * The zero values of the settings that a server may omit. The type of `TenantSettings` follows from
 * them.
 */
export const noSettings = {
  domain: '',
  company_name: '',
  logo_image_text: '',
  support_email: '',
  allow_social: false,
  allow_hardware: false,
  allow_passwords: false,
  allow_totp_app: false,
  allow_totp_email: false,
  allow_unverified: false,
  remember_device: false,
  remember_device_seconds: 0,
  remember_login_seconds: 0,
  allow_signups: false,
  developer_mode: false,
}

type Known = typeof noSettings

export interface TenantSettings extends Known {
  /**
   * Settings that this version of the package does not know. An update writes them back unchanged.
   */
  [member: string]: unknown
}
