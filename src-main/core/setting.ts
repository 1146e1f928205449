/** A setting by the name that people know, as text; undefined for what it is by default. */
export type SettingChange = { readonly name: string; readonly text: string | undefined }
