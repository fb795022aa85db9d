#!/bin/sh
# Makes the workbooks of this folder anew with the programs that people make them with. On Debian:
#   apt-get install --no-install-recommends libreoffice-calc gnumeric python3-openpyxl python3-xlsxwriter
#   sh e2e/workbooks/make.sh
# Their bytes differ from run to run (they hold the time); what a person sees in them does not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

/usr/bin/python3 "$here/make.py" "$here"

# LibreOffice and Gnumeric open what XlsxWriter wrote, compute its formulas and save it as their own.
office() {
  soffice "-env:UserInstallation=file://$place/profile" --headless --convert-to "$1" --outdir "$place" "$2" >/dev/null
}
for name in everything 1904; do
  office 'xlsx:Calc MS Excel 2007 XML' "$here/xlsxwriter-$name.xlsx"
  mv "$place/xlsxwriter-$name.xlsx" "$here/libreoffice-$name.xlsx"
  office ods "$here/xlsxwriter-$name.xlsx"
  mv "$place/xlsxwriter-$name.ods" "$here/libreoffice-$name.ods"
  ssconvert --export-type=Gnumeric_Excel:xlsx "$here/xlsxwriter-$name.xlsx" "$here/gnumeric-$name.xlsx" 2>/dev/null
  ssconvert --export-type=Gnumeric_OpenCalc:odf "$here/xlsxwriter-$name.xlsx" "$here/gnumeric-$name.ods" 2>/dev/null
done
office ods "$here/openpyxl-empty.xlsx"
mv "$place/openpyxl-empty.ods" "$here/libreoffice-empty.ods"
