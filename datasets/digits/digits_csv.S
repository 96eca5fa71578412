/* digits.csv.gz as it stands, between two labels. */
    .section .rodata
    .global conoscope_digits_csv_gz
    .hidden conoscope_digits_csv_gz
    .global conoscope_digits_csv_gz_end
    .hidden conoscope_digits_csv_gz_end
conoscope_digits_csv_gz:
    .incbin DIGITS_CSV_GZ
conoscope_digits_csv_gz_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
