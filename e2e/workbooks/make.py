"""Writes workbooks with XlsxWriter and openpyxl into the folder that is named; make.sh says how to run it."""

import datetime
import sys
from pathlib import Path

import openpyxl
import xlsxwriter
from openpyxl.utils.datetime import CALENDAR_MAC_1904

folder = Path(sys.argv[1])

TITLES = ["Deal ID", "Deal", "Stage", "Dealer", "ZIP code", "Phone", "Adders per watt", "Amount", "Permit received"]
DAY = datetime.date(2026, 3, 1)


def write_everything(name, options):
    """A title over the table, rows and sheets that are hidden, merged cells, rich text, formulas and errors."""
    book = xlsxwriter.Workbook(folder / name, options)
    zip_code = book.add_format({"num_format": "00000"})
    phone = book.add_format({"num_format": "(000) 000-0000"})
    dollars = book.add_format({"num_format": '"$"#,##0.00'})
    day = book.add_format({"num_format": 14})
    moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
    bold = book.add_format({"bold": True})

    sheet = book.add_worksheet("Deals")
    sheet.merge_range("A1:I1", "Deals of March 2026", bold)
    sheet.write("A2", "Made for the weekly meeting, by hand")
    sheet.write_row("A4", TITLES, bold)

    sheet.write_number("A5", 20411000193)
    sheet.write_rich_string("B5", bold, "Garcia", ", Daniel - ", bold, "8.8", " kW")
    sheet.write_string("C5", "Permit Submitted")
    sheet.merge_range("D5:D6", "Sunline Home Energy")
    sheet.write_number("E5", 2134, zip_code)
    sheet.write_number("F5", 6025550147, phone)
    sheet.write_number("G5", 0.4, dollars)
    sheet.write_formula("H5", "=30000+800", dollars, 30800)
    sheet.write_datetime("I5", datetime.datetime(2026, 3, 1), day)

    sheet.set_row(5, None, None, {"hidden": True})
    sheet.write_number("A6", 20411000194)
    sheet.write_formula("B6", '="Kim"&", Ana"', None, "Kim, Ana")
    sheet.write_string("C6", "NTP")
    sheet.write_string("E6", "02135")
    sheet.write_string("F6", "(602) 555-0148")
    sheet.write_number("G6", 0.25)
    sheet.write_number("H6", 12.5)
    sheet.write_datetime("I6", datetime.datetime(2026, 3, 1, 9, 30), moment)

    sheet.write_number("A7", 20411000195)
    sheet.write_string("B7", "Ng, Bo & <sons>\nsecond line")
    sheet.write_formula("C7", "=NA()", None, "#N/A")
    sheet.write_formula("H7", "=1/0", dollars, "#DIV/0!")

    sheet.write_number("A8", 20411000196)
    sheet.write_string("B8", "Roe, Cy")
    sheet.write_formula("C8", "=#REF!", None, "#REF!")

    sheet.write_number("A9", 20411000197)
    sheet.write_string("B9", "Last, Deal")
    sheet.write_string("C9", "Install")

    other = book.add_worksheet("Notes")
    other.write("A1", "Nothing to import here")
    book.add_worksheet("Hidden").hide()
    book.close()


def write_first_a_chart():
    """A sheet that is a chart stands before the one with cells, whose texts are not shared."""
    book = xlsxwriter.Workbook(folder / "xlsxwriter-chart-first.xlsx", {"constant_memory": True})
    chart_sheet = book.add_chartsheet("Chart")
    sheet = book.add_worksheet("Deals")
    sheet.write_row(0, 0, ["id", "stage", "amount"])
    sheet.write_row(1, 0, [20411000193, "NTP", 30800])
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Deals!$C$2:$C$2"})
    chart_sheet.set_chart(chart)
    book.close()


def write_uncomputed_formulas():
    """Neither library computes: openpyxl stores no result, XlsxWriter stores 0."""
    book = xlsxwriter.Workbook(folder / "xlsxwriter-uncomputed.xlsx")
    sheet = book.add_worksheet("Deals")
    sheet.write_row(0, 0, ["id", "amount"])
    sheet.write_number("A2", 20411000193)
    sheet.write_formula("B2", "=15400*2")
    book.close()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", "amount"])
    sheet.append([20411000193, "=15400*2"])
    book.save(folder / "openpyxl-uncomputed.xlsx")


def write_with_openpyxl():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Deals"
    sheet.append(["id", "dealname", "zipCode", "hasBattery", "permitReceived", "amount"])
    sheet.append([20411000193, "Garcia, Daniel", 2134, True, DAY, 30800.25])
    sheet["C2"].number_format = "00000"
    sheet.append([20411000194, "#REF!", None, False, datetime.datetime(2026, 3, 1, 12, 0), None])
    sheet["B3"].data_type = "e"
    book.create_sheet("Hidden").sheet_state = "hidden"
    book.create_sheet("Very hidden").sheet_state = "veryHidden"
    book.create_sheet("Other").append(["id"])
    book.save(folder / "openpyxl-deals.xlsx")

    book.epoch = CALENDAR_MAC_1904
    book.save(folder / "openpyxl-1904.xlsx")

    book = openpyxl.Workbook()
    book.iso_dates = True
    book.active.append(["id", "permitReceived", "createDate"])
    book.active.append([20411000193, DAY, datetime.datetime(2026, 3, 1, 12, 0)])
    book.save(folder / "openpyxl-iso-dates.xlsx")

    book = openpyxl.Workbook()
    book.save(folder / "openpyxl-empty.xlsx")
    book.active.append(["id", "stage"])
    book.save(folder / "openpyxl-only-titles.xlsx")


write_everything("xlsxwriter-everything.xlsx", {})
write_everything("xlsxwriter-1904.xlsx", {"date_1904": True})
write_first_a_chart()
write_uncomputed_formulas()
write_with_openpyxl()
