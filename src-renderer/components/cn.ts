import { clsx, type ClassValue } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Class names in one string; of two that set the same property the later one holds. */
export function cn(...classes: readonly ClassValue[]): string {
  return twMerge(clsx(classes))
}
