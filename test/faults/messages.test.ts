import { testCatalogue } from './catalogue-tests.ts'

testCatalogue('messages')
