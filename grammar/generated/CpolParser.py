# Generated from Cpol.g4 by ANTLR 4.13.2
# encoding: utf-8
from antlr4 import *
from io import StringIO
import sys
if sys.version_info[1] > 5:
	from typing import TextIO
else:
	from typing.io import TextIO

def serializedATN():
    return [
        4,1,80,526,2,0,7,0,2,1,7,1,2,2,7,2,2,3,7,3,2,4,7,4,2,5,7,5,2,6,7,
        6,2,7,7,7,2,8,7,8,2,9,7,9,2,10,7,10,2,11,7,11,2,12,7,12,2,13,7,13,
        2,14,7,14,2,15,7,15,2,16,7,16,2,17,7,17,2,18,7,18,2,19,7,19,2,20,
        7,20,2,21,7,21,2,22,7,22,2,23,7,23,2,24,7,24,2,25,7,25,2,26,7,26,
        2,27,7,27,2,28,7,28,2,29,7,29,2,30,7,30,2,31,7,31,2,32,7,32,2,33,
        7,33,2,34,7,34,2,35,7,35,2,36,7,36,2,37,7,37,2,38,7,38,2,39,7,39,
        2,40,7,40,2,41,7,41,2,42,7,42,2,43,7,43,2,44,7,44,2,45,7,45,2,46,
        7,46,2,47,7,47,2,48,7,48,2,49,7,49,2,50,7,50,2,51,7,51,2,52,7,52,
        1,0,1,0,1,0,1,1,1,1,1,1,1,1,5,1,114,8,1,10,1,12,1,117,9,1,1,1,1,
        1,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,3,2,131,8,2,1,3,1,3,1,
        3,1,3,1,3,1,3,1,3,1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,1,4,3,
        4,151,8,4,1,5,1,5,1,5,1,5,5,5,157,8,5,10,5,12,5,160,9,5,1,6,1,6,
        1,6,1,6,5,6,166,8,6,10,6,12,6,169,9,6,1,6,1,6,1,7,1,7,1,7,1,7,3,
        7,177,8,7,1,8,1,8,1,8,5,8,182,8,8,10,8,12,8,185,9,8,1,8,1,8,1,9,
        1,9,1,9,1,9,1,9,1,9,3,9,195,8,9,1,10,1,10,1,10,1,10,1,10,1,10,1,
        10,1,11,1,11,1,11,1,11,1,11,1,11,1,11,1,11,1,12,1,12,1,12,1,13,1,
        13,1,13,1,13,5,13,219,8,13,10,13,12,13,222,9,13,1,13,3,13,225,8,
        13,1,13,1,13,1,13,1,13,5,13,231,8,13,10,13,12,13,234,9,13,3,13,236,
        8,13,1,14,1,14,1,15,1,15,1,15,1,15,5,15,244,8,15,10,15,12,15,247,
        9,15,1,15,1,15,1,16,1,16,5,16,253,8,16,10,16,12,16,256,9,16,1,17,
        1,17,1,18,1,18,1,19,1,19,5,19,264,8,19,10,19,12,19,267,9,19,1,19,
        1,19,1,19,5,19,272,8,19,10,19,12,19,275,9,19,1,19,1,19,3,19,279,
        8,19,1,20,1,20,5,20,283,8,20,10,20,12,20,286,9,20,1,20,1,20,1,20,
        5,20,291,8,20,10,20,12,20,294,9,20,1,20,1,20,3,20,298,8,20,1,21,
        1,21,5,21,302,8,21,10,21,12,21,305,9,21,1,21,1,21,1,22,1,22,1,22,
        1,22,1,22,1,22,1,22,1,22,1,22,1,22,3,22,319,8,22,1,23,1,23,1,23,
        1,23,1,23,1,24,1,24,1,24,1,24,5,24,330,8,24,10,24,12,24,333,9,24,
        1,25,1,25,1,25,1,25,1,25,1,25,3,25,341,8,25,1,26,1,26,1,26,1,26,
        1,26,1,26,1,26,1,27,1,27,1,27,1,27,1,27,1,27,1,27,1,28,1,28,1,28,
        1,28,1,28,3,28,362,8,28,1,28,1,28,1,28,1,28,5,28,368,8,28,10,28,
        12,28,371,9,28,1,28,1,28,1,29,1,29,1,29,1,29,1,30,1,30,1,30,1,30,
        1,30,1,30,1,30,3,30,386,8,30,1,31,1,31,1,31,1,31,1,31,1,31,1,31,
        1,31,1,31,1,31,1,31,3,31,399,8,31,1,32,1,32,1,33,1,33,1,34,1,34,
        1,34,1,34,1,34,3,34,410,8,34,1,35,1,35,1,36,1,36,1,37,1,37,1,37,
        5,37,419,8,37,10,37,12,37,422,9,37,1,38,1,38,1,38,5,38,427,8,38,
        10,38,12,38,430,9,38,1,39,5,39,433,8,39,10,39,12,39,436,9,39,1,39,
        1,39,1,40,1,40,1,40,1,40,5,40,444,8,40,10,40,12,40,447,9,40,1,41,
        1,41,1,42,1,42,1,42,5,42,454,8,42,10,42,12,42,457,9,42,1,43,1,43,
        1,43,5,43,462,8,43,10,43,12,43,465,9,43,1,44,5,44,468,8,44,10,44,
        12,44,471,9,44,1,44,1,44,1,45,1,45,1,45,1,45,1,45,1,45,1,45,1,45,
        1,45,1,45,3,45,485,8,45,1,45,1,45,3,45,489,8,45,1,46,1,46,1,46,1,
        46,1,47,1,47,3,47,497,8,47,1,48,1,48,1,48,5,48,502,8,48,10,48,12,
        48,505,9,48,1,49,1,49,1,49,1,49,5,49,511,8,49,10,49,12,49,514,9,
        49,3,49,516,8,49,1,49,1,49,1,50,1,50,1,51,1,51,1,52,1,52,1,52,0,
        0,53,0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,
        44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78,80,82,84,86,
        88,90,92,94,96,98,100,102,104,0,11,2,0,17,17,72,72,1,0,37,48,2,0,
        42,43,45,47,2,0,1,10,37,52,1,0,49,52,1,0,57,60,1,0,30,31,2,0,57,
        57,61,66,1,0,67,68,1,0,69,71,2,0,4,4,72,72,539,0,106,1,0,0,0,2,109,
        1,0,0,0,4,130,1,0,0,0,6,132,1,0,0,0,8,139,1,0,0,0,10,152,1,0,0,0,
        12,161,1,0,0,0,14,172,1,0,0,0,16,178,1,0,0,0,18,188,1,0,0,0,20,196,
        1,0,0,0,22,203,1,0,0,0,24,211,1,0,0,0,26,214,1,0,0,0,28,237,1,0,
        0,0,30,239,1,0,0,0,32,250,1,0,0,0,34,257,1,0,0,0,36,259,1,0,0,0,
        38,278,1,0,0,0,40,297,1,0,0,0,42,299,1,0,0,0,44,318,1,0,0,0,46,320,
        1,0,0,0,48,325,1,0,0,0,50,334,1,0,0,0,52,342,1,0,0,0,54,349,1,0,
        0,0,56,356,1,0,0,0,58,374,1,0,0,0,60,385,1,0,0,0,62,387,1,0,0,0,
        64,400,1,0,0,0,66,402,1,0,0,0,68,404,1,0,0,0,70,411,1,0,0,0,72,413,
        1,0,0,0,74,415,1,0,0,0,76,423,1,0,0,0,78,434,1,0,0,0,80,439,1,0,
        0,0,82,448,1,0,0,0,84,450,1,0,0,0,86,458,1,0,0,0,88,469,1,0,0,0,
        90,488,1,0,0,0,92,490,1,0,0,0,94,494,1,0,0,0,96,498,1,0,0,0,98,506,
        1,0,0,0,100,519,1,0,0,0,102,521,1,0,0,0,104,523,1,0,0,0,106,107,
        3,2,1,0,107,108,5,0,0,1,108,1,1,0,0,0,109,110,5,1,0,0,110,111,3,
        102,51,0,111,115,5,49,0,0,112,114,3,4,2,0,113,112,1,0,0,0,114,117,
        1,0,0,0,115,113,1,0,0,0,115,116,1,0,0,0,116,118,1,0,0,0,117,115,
        1,0,0,0,118,119,5,50,0,0,119,3,1,0,0,0,120,131,3,6,3,0,121,131,3,
        8,4,0,122,131,3,10,5,0,123,131,3,12,6,0,124,131,3,16,8,0,125,131,
        3,20,10,0,126,131,3,22,11,0,127,131,3,26,13,0,128,131,3,24,12,0,
        129,131,3,32,16,0,130,120,1,0,0,0,130,121,1,0,0,0,130,122,1,0,0,
        0,130,123,1,0,0,0,130,124,1,0,0,0,130,125,1,0,0,0,130,126,1,0,0,
        0,130,127,1,0,0,0,130,128,1,0,0,0,130,129,1,0,0,0,131,5,1,0,0,0,
        132,133,5,2,0,0,133,134,3,102,51,0,134,135,5,53,0,0,135,136,3,104,
        52,0,136,137,5,57,0,0,137,138,3,74,37,0,138,7,1,0,0,0,139,140,5,
        3,0,0,140,141,3,102,51,0,141,142,5,53,0,0,142,143,3,104,52,0,143,
        144,5,57,0,0,144,150,3,74,37,0,145,146,5,29,0,0,146,147,3,74,37,
        0,147,148,5,55,0,0,148,149,3,74,37,0,149,151,1,0,0,0,150,145,1,0,
        0,0,150,151,1,0,0,0,151,9,1,0,0,0,152,153,5,4,0,0,153,158,3,102,
        51,0,154,155,5,54,0,0,155,157,3,102,51,0,156,154,1,0,0,0,157,160,
        1,0,0,0,158,156,1,0,0,0,158,159,1,0,0,0,159,11,1,0,0,0,160,158,1,
        0,0,0,161,162,5,5,0,0,162,163,3,102,51,0,163,167,5,49,0,0,164,166,
        3,14,7,0,165,164,1,0,0,0,166,169,1,0,0,0,167,165,1,0,0,0,167,168,
        1,0,0,0,168,170,1,0,0,0,169,167,1,0,0,0,170,171,5,50,0,0,171,13,
        1,0,0,0,172,173,3,102,51,0,173,174,5,53,0,0,174,176,3,74,37,0,175,
        177,5,54,0,0,176,175,1,0,0,0,176,177,1,0,0,0,177,15,1,0,0,0,178,
        179,5,6,0,0,179,183,5,49,0,0,180,182,3,18,9,0,181,180,1,0,0,0,182,
        185,1,0,0,0,183,181,1,0,0,0,183,184,1,0,0,0,184,186,1,0,0,0,185,
        183,1,0,0,0,186,187,5,50,0,0,187,17,1,0,0,0,188,189,3,102,51,0,189,
        190,5,53,0,0,190,191,3,104,52,0,191,192,5,57,0,0,192,194,3,74,37,
        0,193,195,5,54,0,0,194,193,1,0,0,0,194,195,1,0,0,0,195,19,1,0,0,
        0,196,197,5,7,0,0,197,198,3,102,51,0,198,199,5,53,0,0,199,200,3,
        104,52,0,200,201,5,57,0,0,201,202,3,74,37,0,202,21,1,0,0,0,203,204,
        5,8,0,0,204,205,3,102,51,0,205,206,5,51,0,0,206,207,3,102,51,0,207,
        208,5,52,0,0,208,209,5,57,0,0,209,210,3,74,37,0,210,23,1,0,0,0,211,
        212,5,10,0,0,212,213,3,74,37,0,213,25,1,0,0,0,214,235,5,9,0,0,215,
        220,3,28,14,0,216,217,5,54,0,0,217,219,3,28,14,0,218,216,1,0,0,0,
        219,222,1,0,0,0,220,218,1,0,0,0,220,221,1,0,0,0,221,224,1,0,0,0,
        222,220,1,0,0,0,223,225,3,30,15,0,224,223,1,0,0,0,224,225,1,0,0,
        0,225,226,1,0,0,0,226,227,3,42,21,0,227,236,1,0,0,0,228,232,3,34,
        17,0,229,231,3,38,19,0,230,229,1,0,0,0,231,234,1,0,0,0,232,230,1,
        0,0,0,232,233,1,0,0,0,233,236,1,0,0,0,234,232,1,0,0,0,235,215,1,
        0,0,0,235,228,1,0,0,0,236,27,1,0,0,0,237,238,7,0,0,0,238,29,1,0,
        0,0,239,240,5,51,0,0,240,245,3,102,51,0,241,242,5,54,0,0,242,244,
        3,102,51,0,243,241,1,0,0,0,244,247,1,0,0,0,245,243,1,0,0,0,245,246,
        1,0,0,0,246,248,1,0,0,0,247,245,1,0,0,0,248,249,5,52,0,0,249,31,
        1,0,0,0,250,254,7,1,0,0,251,253,3,38,19,0,252,251,1,0,0,0,253,256,
        1,0,0,0,254,252,1,0,0,0,254,255,1,0,0,0,255,33,1,0,0,0,256,254,1,
        0,0,0,257,258,7,2,0,0,258,35,1,0,0,0,259,260,7,2,0,0,260,37,1,0,
        0,0,261,265,5,49,0,0,262,264,3,40,20,0,263,262,1,0,0,0,264,267,1,
        0,0,0,265,263,1,0,0,0,265,266,1,0,0,0,266,268,1,0,0,0,267,265,1,
        0,0,0,268,279,5,50,0,0,269,273,5,51,0,0,270,272,3,40,20,0,271,270,
        1,0,0,0,272,275,1,0,0,0,273,271,1,0,0,0,273,274,1,0,0,0,274,276,
        1,0,0,0,275,273,1,0,0,0,276,279,5,52,0,0,277,279,8,3,0,0,278,261,
        1,0,0,0,278,269,1,0,0,0,278,277,1,0,0,0,279,39,1,0,0,0,280,284,5,
        49,0,0,281,283,3,40,20,0,282,281,1,0,0,0,283,286,1,0,0,0,284,282,
        1,0,0,0,284,285,1,0,0,0,285,287,1,0,0,0,286,284,1,0,0,0,287,298,
        5,50,0,0,288,292,5,51,0,0,289,291,3,40,20,0,290,289,1,0,0,0,291,
        294,1,0,0,0,292,290,1,0,0,0,292,293,1,0,0,0,293,295,1,0,0,0,294,
        292,1,0,0,0,295,298,5,52,0,0,296,298,8,4,0,0,297,280,1,0,0,0,297,
        288,1,0,0,0,297,296,1,0,0,0,298,41,1,0,0,0,299,303,5,49,0,0,300,
        302,3,44,22,0,301,300,1,0,0,0,302,305,1,0,0,0,303,301,1,0,0,0,303,
        304,1,0,0,0,304,306,1,0,0,0,305,303,1,0,0,0,306,307,5,50,0,0,307,
        43,1,0,0,0,308,319,3,46,23,0,309,319,3,48,24,0,310,319,3,52,26,0,
        311,319,3,54,27,0,312,319,3,56,28,0,313,319,3,62,31,0,314,319,3,
        64,32,0,315,319,3,66,33,0,316,319,3,68,34,0,317,319,3,36,18,0,318,
        308,1,0,0,0,318,309,1,0,0,0,318,310,1,0,0,0,318,311,1,0,0,0,318,
        312,1,0,0,0,318,313,1,0,0,0,318,314,1,0,0,0,318,315,1,0,0,0,318,
        316,1,0,0,0,318,317,1,0,0,0,319,45,1,0,0,0,320,321,5,11,0,0,321,
        322,3,102,51,0,322,323,5,57,0,0,323,324,3,74,37,0,324,47,1,0,0,0,
        325,326,5,12,0,0,326,327,3,74,37,0,327,331,3,42,21,0,328,330,3,50,
        25,0,329,328,1,0,0,0,330,333,1,0,0,0,331,329,1,0,0,0,331,332,1,0,
        0,0,332,49,1,0,0,0,333,331,1,0,0,0,334,340,5,13,0,0,335,336,5,12,
        0,0,336,337,3,74,37,0,337,338,3,42,21,0,338,341,1,0,0,0,339,341,
        3,42,21,0,340,335,1,0,0,0,340,339,1,0,0,0,341,51,1,0,0,0,342,343,
        5,14,0,0,343,344,3,102,51,0,344,345,5,23,0,0,345,346,3,72,36,0,346,
        347,5,25,0,0,347,348,3,102,51,0,348,53,1,0,0,0,349,350,5,15,0,0,
        350,351,3,102,51,0,351,352,5,24,0,0,352,353,3,72,36,0,353,354,5,
        25,0,0,354,355,3,102,51,0,355,55,1,0,0,0,356,357,5,16,0,0,357,358,
        3,102,51,0,358,359,5,26,0,0,359,361,3,72,36,0,360,362,3,58,29,0,
        361,360,1,0,0,0,361,362,1,0,0,0,362,363,1,0,0,0,363,364,5,28,0,0,
        364,365,3,102,51,0,365,369,5,49,0,0,366,368,3,60,30,0,367,366,1,
        0,0,0,368,371,1,0,0,0,369,367,1,0,0,0,369,370,1,0,0,0,370,372,1,
        0,0,0,371,369,1,0,0,0,372,373,5,50,0,0,373,57,1,0,0,0,374,375,5,
        27,0,0,375,376,5,24,0,0,376,377,3,74,37,0,377,59,1,0,0,0,378,379,
        5,20,0,0,379,380,3,74,37,0,380,381,3,42,21,0,381,386,1,0,0,0,382,
        383,5,21,0,0,383,386,3,42,21,0,384,386,3,44,22,0,385,378,1,0,0,0,
        385,382,1,0,0,0,385,384,1,0,0,0,386,61,1,0,0,0,387,398,5,17,0,0,
        388,389,5,22,0,0,389,390,3,102,51,0,390,391,5,25,0,0,391,392,3,58,
        29,0,392,393,5,26,0,0,393,394,3,72,36,0,394,395,5,25,0,0,395,396,
        3,102,51,0,396,399,1,0,0,0,397,399,3,102,51,0,398,388,1,0,0,0,398,
        397,1,0,0,0,399,63,1,0,0,0,400,401,5,18,0,0,401,65,1,0,0,0,402,403,
        5,19,0,0,403,67,1,0,0,0,404,409,3,96,48,0,405,406,3,70,35,0,406,
        407,3,74,37,0,407,410,1,0,0,0,408,410,3,98,49,0,409,405,1,0,0,0,
        409,408,1,0,0,0,410,69,1,0,0,0,411,412,7,5,0,0,412,71,1,0,0,0,413,
        414,7,6,0,0,414,73,1,0,0,0,415,420,3,76,38,0,416,417,5,35,0,0,417,
        419,3,76,38,0,418,416,1,0,0,0,419,422,1,0,0,0,420,418,1,0,0,0,420,
        421,1,0,0,0,421,75,1,0,0,0,422,420,1,0,0,0,423,428,3,78,39,0,424,
        425,5,34,0,0,425,427,3,78,39,0,426,424,1,0,0,0,427,430,1,0,0,0,428,
        426,1,0,0,0,428,429,1,0,0,0,429,77,1,0,0,0,430,428,1,0,0,0,431,433,
        5,36,0,0,432,431,1,0,0,0,433,436,1,0,0,0,434,432,1,0,0,0,434,435,
        1,0,0,0,435,437,1,0,0,0,436,434,1,0,0,0,437,438,3,80,40,0,438,79,
        1,0,0,0,439,445,3,84,42,0,440,441,3,82,41,0,441,442,3,84,42,0,442,
        444,1,0,0,0,443,440,1,0,0,0,444,447,1,0,0,0,445,443,1,0,0,0,445,
        446,1,0,0,0,446,81,1,0,0,0,447,445,1,0,0,0,448,449,7,7,0,0,449,83,
        1,0,0,0,450,455,3,86,43,0,451,452,7,8,0,0,452,454,3,86,43,0,453,
        451,1,0,0,0,454,457,1,0,0,0,455,453,1,0,0,0,455,456,1,0,0,0,456,
        85,1,0,0,0,457,455,1,0,0,0,458,463,3,88,44,0,459,460,7,9,0,0,460,
        462,3,88,44,0,461,459,1,0,0,0,462,465,1,0,0,0,463,461,1,0,0,0,463,
        464,1,0,0,0,464,87,1,0,0,0,465,463,1,0,0,0,466,468,5,68,0,0,467,
        466,1,0,0,0,468,471,1,0,0,0,469,467,1,0,0,0,469,470,1,0,0,0,470,
        472,1,0,0,0,471,469,1,0,0,0,472,473,3,90,45,0,473,89,1,0,0,0,474,
        489,5,74,0,0,475,489,5,73,0,0,476,489,5,32,0,0,477,489,5,33,0,0,
        478,479,5,51,0,0,479,480,3,74,37,0,480,481,5,52,0,0,481,489,1,0,
        0,0,482,484,3,96,48,0,483,485,3,98,49,0,484,483,1,0,0,0,484,485,
        1,0,0,0,485,489,1,0,0,0,486,489,3,92,46,0,487,489,3,94,47,0,488,
        474,1,0,0,0,488,475,1,0,0,0,488,476,1,0,0,0,488,477,1,0,0,0,488,
        478,1,0,0,0,488,482,1,0,0,0,488,486,1,0,0,0,488,487,1,0,0,0,489,
        91,1,0,0,0,490,491,5,17,0,0,491,492,5,56,0,0,492,493,3,100,50,0,
        493,93,1,0,0,0,494,496,5,48,0,0,495,497,3,98,49,0,496,495,1,0,0,
        0,496,497,1,0,0,0,497,95,1,0,0,0,498,503,3,102,51,0,499,500,5,56,
        0,0,500,502,3,100,50,0,501,499,1,0,0,0,502,505,1,0,0,0,503,501,1,
        0,0,0,503,504,1,0,0,0,504,97,1,0,0,0,505,503,1,0,0,0,506,515,5,51,
        0,0,507,512,3,74,37,0,508,509,5,54,0,0,509,511,3,74,37,0,510,508,
        1,0,0,0,511,514,1,0,0,0,512,510,1,0,0,0,512,513,1,0,0,0,513,516,
        1,0,0,0,514,512,1,0,0,0,515,507,1,0,0,0,515,516,1,0,0,0,516,517,
        1,0,0,0,517,518,5,52,0,0,518,99,1,0,0,0,519,520,7,10,0,0,520,101,
        1,0,0,0,521,522,5,72,0,0,522,103,1,0,0,0,523,524,5,72,0,0,524,105,
        1,0,0,0,42,115,130,150,158,167,176,183,194,220,224,232,235,245,254,
        265,273,278,284,292,297,303,318,331,340,361,369,385,398,409,420,
        428,434,445,455,463,469,484,488,496,503,512,515
    ]

class CpolParser ( Parser ):

    grammarFileName = "Cpol.g4"

    atn = ATNDeserializer().deserialize(serializedATN())

    decisionsToDFA = [ DFA(ds, i) for i, ds in enumerate(atn.decisionToState) ]

    sharedContextCache = PredictionContextCache()

    literalNames = [ "<INVALID>", "'policy'", "'const'", "'param'", "'list'", 
                     "'ghost'", "'folio'", "'state'", "'score'", "'on'", 
                     "'invariant'", "'let'", "'if'", "'else'", "'place'", 
                     "'move'", "'scan'", "'evict'", "'stop'", "'keep'", 
                     "'when'", "'otherwise'", "'lowest'", "'at'", "'to'", 
                     "'of'", "'from'", "'up'", "'as'", "'in'", "'head'", 
                     "'tail'", "'true'", "'false'", "'and'", "'or'", "'not'", 
                     "'hand'", "'table'", "'input'", "'enum'", "'fn'", "'every'", 
                     "'admit'", "'test'", "'fault'", "'prefetch'", "'pin'", 
                     "'random'", "'{'", "'}'", "'('", "')'", "':'", "','", 
                     "'..'", "'.'", "'='", "'+='", "'-='", "'*='", "'=='", 
                     "'!='", "'<='", "'>='", "'<'", "'>'", "'+'", "'-'", 
                     "'*'", "'/'", "'%'" ]

    symbolicNames = [ "<INVALID>", "POLICY", "CONST", "PARAM", "LIST", "GHOST", 
                      "FOLIO", "STATE", "SCORE", "ON", "INVARIANT", "LET", 
                      "IF", "ELSE", "PLACE", "MOVE", "SCAN", "EVICT", "STOP", 
                      "KEEP", "WHEN", "OTHERWISE", "LOWEST", "AT", "TO", 
                      "OF", "FROM", "UP", "AS", "IN", "HEAD", "TAIL", "TRUE", 
                      "FALSE", "AND", "OR", "NOT", "HAND", "TABLE", "INPUT", 
                      "ENUM", "FN", "EVERY", "ADMIT", "TEST", "FAULT", "PREFETCH", 
                      "PIN", "RANDOM", "LBRACE", "RBRACE", "LPAREN", "RPAREN", 
                      "COLON", "COMMA", "DOTDOT", "DOT", "ASSIGN", "ADD_ASSIGN", 
                      "SUB_ASSIGN", "MUL_ASSIGN", "EQ", "NE", "LE", "GE", 
                      "LT", "GT", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", 
                      "IDENT", "FIXED", "INT", "DOC", "COMMENT", "SPACE", 
                      "FOREIGN", "BAD_NUMBER", "UNKNOWN" ]

    RULE_file = 0
    RULE_policy = 1
    RULE_item = 2
    RULE_constDecl = 3
    RULE_paramDecl = 4
    RULE_listDecl = 5
    RULE_ghostDecl = 6
    RULE_ghostItem = 7
    RULE_folioDecl = 8
    RULE_fieldDecl = 9
    RULE_stateDecl = 10
    RULE_scoreDecl = 11
    RULE_invariant = 12
    RULE_handler = 13
    RULE_event = 14
    RULE_handlerParams = 15
    RULE_laterDecl = 16
    RULE_laterEvent = 17
    RULE_laterStmt = 18
    RULE_later = 19
    RULE_inner = 20
    RULE_block = 21
    RULE_statement = 22
    RULE_letStmt = 23
    RULE_ifStmt = 24
    RULE_elsePart = 25
    RULE_placeStmt = 26
    RULE_moveStmt = 27
    RULE_scanStmt = 28
    RULE_bound = 29
    RULE_scanItem = 30
    RULE_evictStmt = 31
    RULE_stopStmt = 32
    RULE_keepStmt = 33
    RULE_pathStmt = 34
    RULE_assignOp = 35
    RULE_end = 36
    RULE_expr = 37
    RULE_andExpr = 38
    RULE_notExpr = 39
    RULE_comparison = 40
    RULE_compareOp = 41
    RULE_sum = 42
    RULE_term = 43
    RULE_unary = 44
    RULE_primary = 45
    RULE_evictAttr = 46
    RULE_laterExpr = 47
    RULE_path = 48
    RULE_arguments = 49
    RULE_member = 50
    RULE_name = 51
    RULE_typeName = 52

    ruleNames =  [ "file", "policy", "item", "constDecl", "paramDecl", "listDecl", 
                   "ghostDecl", "ghostItem", "folioDecl", "fieldDecl", "stateDecl", 
                   "scoreDecl", "invariant", "handler", "event", "handlerParams", 
                   "laterDecl", "laterEvent", "laterStmt", "later", "inner", 
                   "block", "statement", "letStmt", "ifStmt", "elsePart", 
                   "placeStmt", "moveStmt", "scanStmt", "bound", "scanItem", 
                   "evictStmt", "stopStmt", "keepStmt", "pathStmt", "assignOp", 
                   "end", "expr", "andExpr", "notExpr", "comparison", "compareOp", 
                   "sum", "term", "unary", "primary", "evictAttr", "laterExpr", 
                   "path", "arguments", "member", "name", "typeName" ]

    EOF = Token.EOF
    POLICY=1
    CONST=2
    PARAM=3
    LIST=4
    GHOST=5
    FOLIO=6
    STATE=7
    SCORE=8
    ON=9
    INVARIANT=10
    LET=11
    IF=12
    ELSE=13
    PLACE=14
    MOVE=15
    SCAN=16
    EVICT=17
    STOP=18
    KEEP=19
    WHEN=20
    OTHERWISE=21
    LOWEST=22
    AT=23
    TO=24
    OF=25
    FROM=26
    UP=27
    AS=28
    IN=29
    HEAD=30
    TAIL=31
    TRUE=32
    FALSE=33
    AND=34
    OR=35
    NOT=36
    HAND=37
    TABLE=38
    INPUT=39
    ENUM=40
    FN=41
    EVERY=42
    ADMIT=43
    TEST=44
    FAULT=45
    PREFETCH=46
    PIN=47
    RANDOM=48
    LBRACE=49
    RBRACE=50
    LPAREN=51
    RPAREN=52
    COLON=53
    COMMA=54
    DOTDOT=55
    DOT=56
    ASSIGN=57
    ADD_ASSIGN=58
    SUB_ASSIGN=59
    MUL_ASSIGN=60
    EQ=61
    NE=62
    LE=63
    GE=64
    LT=65
    GT=66
    PLUS=67
    MINUS=68
    STAR=69
    SLASH=70
    PERCENT=71
    IDENT=72
    FIXED=73
    INT=74
    DOC=75
    COMMENT=76
    SPACE=77
    FOREIGN=78
    BAD_NUMBER=79
    UNKNOWN=80

    def __init__(self, input:TokenStream, output:TextIO = sys.stdout):
        super().__init__(input, output)
        self.checkVersion("4.13.2")
        self._interp = ParserATNSimulator(self, self.atn, self.decisionsToDFA, self.sharedContextCache)
        self._predicates = None




    class FileContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def policy(self):
            return self.getTypedRuleContext(CpolParser.PolicyContext,0)


        def EOF(self):
            return self.getToken(CpolParser.EOF, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_file




    def file_(self):

        localctx = CpolParser.FileContext(self, self._ctx, self.state)
        self.enterRule(localctx, 0, self.RULE_file)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 106
            self.policy()
            self.state = 107
            self.match(CpolParser.EOF)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PolicyContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def POLICY(self):
            return self.getToken(CpolParser.POLICY, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def item(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.ItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_policy




    def policy(self):

        localctx = CpolParser.PolicyContext(self, self._ctx, self.state)
        self.enterRule(localctx, 2, self.RULE_policy)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 109
            self.match(CpolParser.POLICY)
            self.state = 110
            self.name()
            self.state = 111
            self.match(CpolParser.LBRACE)
            self.state = 115
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while (((_la) & ~0x3f) == 0 and ((1 << _la) & 562812514469884) != 0):
                self.state = 112
                self.item()
                self.state = 117
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 118
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def constDecl(self):
            return self.getTypedRuleContext(CpolParser.ConstDeclContext,0)


        def paramDecl(self):
            return self.getTypedRuleContext(CpolParser.ParamDeclContext,0)


        def listDecl(self):
            return self.getTypedRuleContext(CpolParser.ListDeclContext,0)


        def ghostDecl(self):
            return self.getTypedRuleContext(CpolParser.GhostDeclContext,0)


        def folioDecl(self):
            return self.getTypedRuleContext(CpolParser.FolioDeclContext,0)


        def stateDecl(self):
            return self.getTypedRuleContext(CpolParser.StateDeclContext,0)


        def scoreDecl(self):
            return self.getTypedRuleContext(CpolParser.ScoreDeclContext,0)


        def handler(self):
            return self.getTypedRuleContext(CpolParser.HandlerContext,0)


        def invariant(self):
            return self.getTypedRuleContext(CpolParser.InvariantContext,0)


        def laterDecl(self):
            return self.getTypedRuleContext(CpolParser.LaterDeclContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_item




    def item(self):

        localctx = CpolParser.ItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 4, self.RULE_item)
        try:
            self.state = 130
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [2]:
                self.enterOuterAlt(localctx, 1)
                self.state = 120
                self.constDecl()
                pass
            elif token in [3]:
                self.enterOuterAlt(localctx, 2)
                self.state = 121
                self.paramDecl()
                pass
            elif token in [4]:
                self.enterOuterAlt(localctx, 3)
                self.state = 122
                self.listDecl()
                pass
            elif token in [5]:
                self.enterOuterAlt(localctx, 4)
                self.state = 123
                self.ghostDecl()
                pass
            elif token in [6]:
                self.enterOuterAlt(localctx, 5)
                self.state = 124
                self.folioDecl()
                pass
            elif token in [7]:
                self.enterOuterAlt(localctx, 6)
                self.state = 125
                self.stateDecl()
                pass
            elif token in [8]:
                self.enterOuterAlt(localctx, 7)
                self.state = 126
                self.scoreDecl()
                pass
            elif token in [9]:
                self.enterOuterAlt(localctx, 8)
                self.state = 127
                self.handler()
                pass
            elif token in [10]:
                self.enterOuterAlt(localctx, 9)
                self.state = 128
                self.invariant()
                pass
            elif token in [37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48]:
                self.enterOuterAlt(localctx, 10)
                self.state = 129
                self.laterDecl()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ConstDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def CONST(self):
            return self.getToken(CpolParser.CONST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_constDecl




    def constDecl(self):

        localctx = CpolParser.ConstDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 6, self.RULE_constDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 132
            self.match(CpolParser.CONST)
            self.state = 133
            self.name()
            self.state = 134
            self.match(CpolParser.COLON)
            self.state = 135
            self.typeName()
            self.state = 136
            self.match(CpolParser.ASSIGN)
            self.state = 137
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ParamDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def PARAM(self):
            return self.getToken(CpolParser.PARAM, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def IN(self):
            return self.getToken(CpolParser.IN, 0)

        def DOTDOT(self):
            return self.getToken(CpolParser.DOTDOT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_paramDecl




    def paramDecl(self):

        localctx = CpolParser.ParamDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 8, self.RULE_paramDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 139
            self.match(CpolParser.PARAM)
            self.state = 140
            self.name()
            self.state = 141
            self.match(CpolParser.COLON)
            self.state = 142
            self.typeName()
            self.state = 143
            self.match(CpolParser.ASSIGN)
            self.state = 144
            self.expr()
            self.state = 150
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==29:
                self.state = 145
                self.match(CpolParser.IN)
                self.state = 146
                self.expr()
                self.state = 147
                self.match(CpolParser.DOTDOT)
                self.state = 148
                self.expr()


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ListDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_listDecl




    def listDecl(self):

        localctx = CpolParser.ListDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 10, self.RULE_listDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 152
            self.match(CpolParser.LIST)
            self.state = 153
            self.name()
            self.state = 158
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==54:
                self.state = 154
                self.match(CpolParser.COMMA)
                self.state = 155
                self.name()
                self.state = 160
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class GhostDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def GHOST(self):
            return self.getToken(CpolParser.GHOST, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def ghostItem(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.GhostItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.GhostItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_ghostDecl




    def ghostDecl(self):

        localctx = CpolParser.GhostDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 12, self.RULE_ghostDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 161
            self.match(CpolParser.GHOST)
            self.state = 162
            self.name()
            self.state = 163
            self.match(CpolParser.LBRACE)
            self.state = 167
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==72:
                self.state = 164
                self.ghostItem()
                self.state = 169
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 170
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class GhostItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def COMMA(self):
            return self.getToken(CpolParser.COMMA, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_ghostItem




    def ghostItem(self):

        localctx = CpolParser.GhostItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 14, self.RULE_ghostItem)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 172
            self.name()
            self.state = 173
            self.match(CpolParser.COLON)
            self.state = 174
            self.expr()
            self.state = 176
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==54:
                self.state = 175
                self.match(CpolParser.COMMA)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FolioDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def FOLIO(self):
            return self.getToken(CpolParser.FOLIO, 0)

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def fieldDecl(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.FieldDeclContext)
            else:
                return self.getTypedRuleContext(CpolParser.FieldDeclContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_folioDecl




    def folioDecl(self):

        localctx = CpolParser.FolioDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 16, self.RULE_folioDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 178
            self.match(CpolParser.FOLIO)
            self.state = 179
            self.match(CpolParser.LBRACE)
            self.state = 183
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==72:
                self.state = 180
                self.fieldDecl()
                self.state = 185
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 186
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class FieldDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def COMMA(self):
            return self.getToken(CpolParser.COMMA, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_fieldDecl




    def fieldDecl(self):

        localctx = CpolParser.FieldDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 18, self.RULE_fieldDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 188
            self.name()
            self.state = 189
            self.match(CpolParser.COLON)
            self.state = 190
            self.typeName()
            self.state = 191
            self.match(CpolParser.ASSIGN)
            self.state = 192
            self.expr()
            self.state = 194
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==54:
                self.state = 193
                self.match(CpolParser.COMMA)


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StateDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def STATE(self):
            return self.getToken(CpolParser.STATE, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def COLON(self):
            return self.getToken(CpolParser.COLON, 0)

        def typeName(self):
            return self.getTypedRuleContext(CpolParser.TypeNameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_stateDecl




    def stateDecl(self):

        localctx = CpolParser.StateDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 20, self.RULE_stateDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 196
            self.match(CpolParser.STATE)
            self.state = 197
            self.name()
            self.state = 198
            self.match(CpolParser.COLON)
            self.state = 199
            self.typeName()
            self.state = 200
            self.match(CpolParser.ASSIGN)
            self.state = 201
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScoreDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def SCORE(self):
            return self.getToken(CpolParser.SCORE, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_scoreDecl




    def scoreDecl(self):

        localctx = CpolParser.ScoreDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 22, self.RULE_scoreDecl)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 203
            self.match(CpolParser.SCORE)
            self.state = 204
            self.name()
            self.state = 205
            self.match(CpolParser.LPAREN)
            self.state = 206
            self.name()
            self.state = 207
            self.match(CpolParser.RPAREN)
            self.state = 208
            self.match(CpolParser.ASSIGN)
            self.state = 209
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class InvariantContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INVARIANT(self):
            return self.getToken(CpolParser.INVARIANT, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_invariant




    def invariant(self):

        localctx = CpolParser.InvariantContext(self, self._ctx, self.state)
        self.enterRule(localctx, 24, self.RULE_invariant)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 211
            self.match(CpolParser.INVARIANT)
            self.state = 212
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class HandlerContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ON(self):
            return self.getToken(CpolParser.ON, 0)

        def event(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.EventContext)
            else:
                return self.getTypedRuleContext(CpolParser.EventContext,i)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def laterEvent(self):
            return self.getTypedRuleContext(CpolParser.LaterEventContext,0)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def handlerParams(self):
            return self.getTypedRuleContext(CpolParser.HandlerParamsContext,0)


        def later(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.LaterContext)
            else:
                return self.getTypedRuleContext(CpolParser.LaterContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_handler




    def handler(self):

        localctx = CpolParser.HandlerContext(self, self._ctx, self.state)
        self.enterRule(localctx, 26, self.RULE_handler)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 214
            self.match(CpolParser.ON)
            self.state = 235
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [17, 72]:
                self.state = 215
                self.event()
                self.state = 220
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==54:
                    self.state = 216
                    self.match(CpolParser.COMMA)
                    self.state = 217
                    self.event()
                    self.state = 222
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 224
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==51:
                    self.state = 223
                    self.handlerParams()


                self.state = 226
                self.block()
                pass
            elif token in [42, 43, 45, 46, 47]:
                self.state = 228
                self.laterEvent()
                self.state = 232
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -6192312048683008) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                    self.state = 229
                    self.later()
                    self.state = 234
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EventContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_event




    def event(self):

        localctx = CpolParser.EventContext(self, self._ctx, self.state)
        self.enterRule(localctx, 28, self.RULE_event)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 237
            _la = self._input.LA(1)
            if not(_la==17 or _la==72):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class HandlerParamsContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_handlerParams




    def handlerParams(self):

        localctx = CpolParser.HandlerParamsContext(self, self._ctx, self.state)
        self.enterRule(localctx, 30, self.RULE_handlerParams)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 239
            self.match(CpolParser.LPAREN)
            self.state = 240
            self.name()
            self.state = 245
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==54:
                self.state = 241
                self.match(CpolParser.COMMA)
                self.state = 242
                self.name()
                self.state = 247
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 248
            self.match(CpolParser.RPAREN)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterDeclContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def HAND(self):
            return self.getToken(CpolParser.HAND, 0)

        def TABLE(self):
            return self.getToken(CpolParser.TABLE, 0)

        def INPUT(self):
            return self.getToken(CpolParser.INPUT, 0)

        def ENUM(self):
            return self.getToken(CpolParser.ENUM, 0)

        def FN(self):
            return self.getToken(CpolParser.FN, 0)

        def TEST(self):
            return self.getToken(CpolParser.TEST, 0)

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def ADMIT(self):
            return self.getToken(CpolParser.ADMIT, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def RANDOM(self):
            return self.getToken(CpolParser.RANDOM, 0)

        def later(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.LaterContext)
            else:
                return self.getTypedRuleContext(CpolParser.LaterContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_laterDecl




    def laterDecl(self):

        localctx = CpolParser.LaterDeclContext(self, self._ctx, self.state)
        self.enterRule(localctx, 32, self.RULE_laterDecl)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 250
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 562812514467840) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
            self.state = 254
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while (((_la) & ~0x3f) == 0 and ((1 << _la) & -6192312048683008) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                self.state = 251
                self.later()
                self.state = 256
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterEventContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def ADMIT(self):
            return self.getToken(CpolParser.ADMIT, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_laterEvent




    def laterEvent(self):

        localctx = CpolParser.LaterEventContext(self, self._ctx, self.state)
        self.enterRule(localctx, 34, self.RULE_laterEvent)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 257
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 259484744155136) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def ADMIT(self):
            return self.getToken(CpolParser.ADMIT, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_laterStmt




    def laterStmt(self):

        localctx = CpolParser.LaterStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 36, self.RULE_laterStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 259
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 259484744155136) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def inner(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.InnerContext)
            else:
                return self.getTypedRuleContext(CpolParser.InnerContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def CONST(self):
            return self.getToken(CpolParser.CONST, 0)

        def PARAM(self):
            return self.getToken(CpolParser.PARAM, 0)

        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def GHOST(self):
            return self.getToken(CpolParser.GHOST, 0)

        def FOLIO(self):
            return self.getToken(CpolParser.FOLIO, 0)

        def STATE(self):
            return self.getToken(CpolParser.STATE, 0)

        def SCORE(self):
            return self.getToken(CpolParser.SCORE, 0)

        def ON(self):
            return self.getToken(CpolParser.ON, 0)

        def INVARIANT(self):
            return self.getToken(CpolParser.INVARIANT, 0)

        def HAND(self):
            return self.getToken(CpolParser.HAND, 0)

        def TABLE(self):
            return self.getToken(CpolParser.TABLE, 0)

        def INPUT(self):
            return self.getToken(CpolParser.INPUT, 0)

        def ENUM(self):
            return self.getToken(CpolParser.ENUM, 0)

        def FN(self):
            return self.getToken(CpolParser.FN, 0)

        def TEST(self):
            return self.getToken(CpolParser.TEST, 0)

        def EVERY(self):
            return self.getToken(CpolParser.EVERY, 0)

        def ADMIT(self):
            return self.getToken(CpolParser.ADMIT, 0)

        def FAULT(self):
            return self.getToken(CpolParser.FAULT, 0)

        def PREFETCH(self):
            return self.getToken(CpolParser.PREFETCH, 0)

        def PIN(self):
            return self.getToken(CpolParser.PIN, 0)

        def RANDOM(self):
            return self.getToken(CpolParser.RANDOM, 0)

        def POLICY(self):
            return self.getToken(CpolParser.POLICY, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_later




    def later(self):

        localctx = CpolParser.LaterContext(self, self._ctx, self.state)
        self.enterRule(localctx, 38, self.RULE_later)
        self._la = 0 # Token type
        try:
            self.state = 278
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [49]:
                self.enterOuterAlt(localctx, 1)
                self.state = 261
                self.match(CpolParser.LBRACE)
                self.state = 265
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -5629499534213122) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                    self.state = 262
                    self.inner()
                    self.state = 267
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 268
                self.match(CpolParser.RBRACE)
                pass
            elif token in [51]:
                self.enterOuterAlt(localctx, 2)
                self.state = 269
                self.match(CpolParser.LPAREN)
                self.state = 273
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -5629499534213122) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                    self.state = 270
                    self.inner()
                    self.state = 275
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 276
                self.match(CpolParser.RPAREN)
                pass
            elif token in [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80]:
                self.enterOuterAlt(localctx, 3)
                self.state = 277
                _la = self._input.LA(1)
                if _la <= 0 or (((_la) & ~0x3f) == 0 and ((1 << _la) & 9007061815789566) != 0):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class InnerContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def inner(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.InnerContext)
            else:
                return self.getTypedRuleContext(CpolParser.InnerContext,i)


        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_inner




    def inner(self):

        localctx = CpolParser.InnerContext(self, self._ctx, self.state)
        self.enterRule(localctx, 40, self.RULE_inner)
        self._la = 0 # Token type
        try:
            self.state = 297
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [49]:
                self.enterOuterAlt(localctx, 1)
                self.state = 280
                self.match(CpolParser.LBRACE)
                self.state = 284
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -5629499534213122) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                    self.state = 281
                    self.inner()
                    self.state = 286
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 287
                self.match(CpolParser.RBRACE)
                pass
            elif token in [51]:
                self.enterOuterAlt(localctx, 2)
                self.state = 288
                self.match(CpolParser.LPAREN)
                self.state = 292
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while (((_la) & ~0x3f) == 0 and ((1 << _la) & -5629499534213122) != 0) or ((((_la - 64)) & ~0x3f) == 0 and ((1 << (_la - 64)) & 131071) != 0):
                    self.state = 289
                    self.inner()
                    self.state = 294
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)

                self.state = 295
                self.match(CpolParser.RPAREN)
                pass
            elif token in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80]:
                self.enterOuterAlt(localctx, 3)
                self.state = 296
                _la = self._input.LA(1)
                if _la <= 0 or (((_la) & ~0x3f) == 0 and ((1 << _la) & 8444249301319680) != 0):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class BlockContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def statement(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.StatementContext)
            else:
                return self.getTypedRuleContext(CpolParser.StatementContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_block




    def block(self):

        localctx = CpolParser.BlockContext(self, self._ctx, self.state)
        self.enterRule(localctx, 42, self.RULE_block)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 299
            self.match(CpolParser.LBRACE)
            self.state = 303
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 11)) & ~0x3f) == 0 and ((1 << (_la - 11)) & 2305843135915229691) != 0):
                self.state = 300
                self.statement()
                self.state = 305
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 306
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StatementContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def letStmt(self):
            return self.getTypedRuleContext(CpolParser.LetStmtContext,0)


        def ifStmt(self):
            return self.getTypedRuleContext(CpolParser.IfStmtContext,0)


        def placeStmt(self):
            return self.getTypedRuleContext(CpolParser.PlaceStmtContext,0)


        def moveStmt(self):
            return self.getTypedRuleContext(CpolParser.MoveStmtContext,0)


        def scanStmt(self):
            return self.getTypedRuleContext(CpolParser.ScanStmtContext,0)


        def evictStmt(self):
            return self.getTypedRuleContext(CpolParser.EvictStmtContext,0)


        def stopStmt(self):
            return self.getTypedRuleContext(CpolParser.StopStmtContext,0)


        def keepStmt(self):
            return self.getTypedRuleContext(CpolParser.KeepStmtContext,0)


        def pathStmt(self):
            return self.getTypedRuleContext(CpolParser.PathStmtContext,0)


        def laterStmt(self):
            return self.getTypedRuleContext(CpolParser.LaterStmtContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_statement




    def statement(self):

        localctx = CpolParser.StatementContext(self, self._ctx, self.state)
        self.enterRule(localctx, 44, self.RULE_statement)
        try:
            self.state = 318
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [11]:
                self.enterOuterAlt(localctx, 1)
                self.state = 308
                self.letStmt()
                pass
            elif token in [12]:
                self.enterOuterAlt(localctx, 2)
                self.state = 309
                self.ifStmt()
                pass
            elif token in [14]:
                self.enterOuterAlt(localctx, 3)
                self.state = 310
                self.placeStmt()
                pass
            elif token in [15]:
                self.enterOuterAlt(localctx, 4)
                self.state = 311
                self.moveStmt()
                pass
            elif token in [16]:
                self.enterOuterAlt(localctx, 5)
                self.state = 312
                self.scanStmt()
                pass
            elif token in [17]:
                self.enterOuterAlt(localctx, 6)
                self.state = 313
                self.evictStmt()
                pass
            elif token in [18]:
                self.enterOuterAlt(localctx, 7)
                self.state = 314
                self.stopStmt()
                pass
            elif token in [19]:
                self.enterOuterAlt(localctx, 8)
                self.state = 315
                self.keepStmt()
                pass
            elif token in [72]:
                self.enterOuterAlt(localctx, 9)
                self.state = 316
                self.pathStmt()
                pass
            elif token in [42, 43, 45, 46, 47]:
                self.enterOuterAlt(localctx, 10)
                self.state = 317
                self.laterStmt()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LetStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LET(self):
            return self.getToken(CpolParser.LET, 0)

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_letStmt




    def letStmt(self):

        localctx = CpolParser.LetStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 46, self.RULE_letStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 320
            self.match(CpolParser.LET)
            self.state = 321
            self.name()
            self.state = 322
            self.match(CpolParser.ASSIGN)
            self.state = 323
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class IfStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IF(self):
            return self.getToken(CpolParser.IF, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def elsePart(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ElsePartContext)
            else:
                return self.getTypedRuleContext(CpolParser.ElsePartContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_ifStmt




    def ifStmt(self):

        localctx = CpolParser.IfStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 48, self.RULE_ifStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 325
            self.match(CpolParser.IF)
            self.state = 326
            self.expr()
            self.state = 327
            self.block()
            self.state = 331
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==13:
                self.state = 328
                self.elsePart()
                self.state = 333
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ElsePartContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ELSE(self):
            return self.getToken(CpolParser.ELSE, 0)

        def IF(self):
            return self.getToken(CpolParser.IF, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_elsePart




    def elsePart(self):

        localctx = CpolParser.ElsePartContext(self, self._ctx, self.state)
        self.enterRule(localctx, 50, self.RULE_elsePart)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 334
            self.match(CpolParser.ELSE)
            self.state = 340
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [12]:
                self.state = 335
                self.match(CpolParser.IF)
                self.state = 336
                self.expr()
                self.state = 337
                self.block()
                pass
            elif token in [49]:
                self.state = 339
                self.block()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PlaceStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def PLACE(self):
            return self.getToken(CpolParser.PLACE, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def AT(self):
            return self.getToken(CpolParser.AT, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_placeStmt




    def placeStmt(self):

        localctx = CpolParser.PlaceStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 52, self.RULE_placeStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 342
            self.match(CpolParser.PLACE)
            self.state = 343
            self.name()
            self.state = 344
            self.match(CpolParser.AT)
            self.state = 345
            self.end()
            self.state = 346
            self.match(CpolParser.OF)
            self.state = 347
            self.name()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class MoveStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def MOVE(self):
            return self.getToken(CpolParser.MOVE, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def OF(self):
            return self.getToken(CpolParser.OF, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_moveStmt




    def moveStmt(self):

        localctx = CpolParser.MoveStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 54, self.RULE_moveStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 349
            self.match(CpolParser.MOVE)
            self.state = 350
            self.name()
            self.state = 351
            self.match(CpolParser.TO)
            self.state = 352
            self.end()
            self.state = 353
            self.match(CpolParser.OF)
            self.state = 354
            self.name()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScanStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def SCAN(self):
            return self.getToken(CpolParser.SCAN, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def FROM(self):
            return self.getToken(CpolParser.FROM, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def AS(self):
            return self.getToken(CpolParser.AS, 0)

        def LBRACE(self):
            return self.getToken(CpolParser.LBRACE, 0)

        def RBRACE(self):
            return self.getToken(CpolParser.RBRACE, 0)

        def bound(self):
            return self.getTypedRuleContext(CpolParser.BoundContext,0)


        def scanItem(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ScanItemContext)
            else:
                return self.getTypedRuleContext(CpolParser.ScanItemContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_scanStmt




    def scanStmt(self):

        localctx = CpolParser.ScanStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 56, self.RULE_scanStmt)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 356
            self.match(CpolParser.SCAN)
            self.state = 357
            self.name()
            self.state = 358
            self.match(CpolParser.FROM)
            self.state = 359
            self.end()
            self.state = 361
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==27:
                self.state = 360
                self.bound()


            self.state = 363
            self.match(CpolParser.AS)
            self.state = 364
            self.name()
            self.state = 365
            self.match(CpolParser.LBRACE)
            self.state = 369
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 11)) & ~0x3f) == 0 and ((1 << (_la - 11)) & 2305843135915231227) != 0):
                self.state = 366
                self.scanItem()
                self.state = 371
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 372
            self.match(CpolParser.RBRACE)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class BoundContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def UP(self):
            return self.getToken(CpolParser.UP, 0)

        def TO(self):
            return self.getToken(CpolParser.TO, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_bound




    def bound(self):

        localctx = CpolParser.BoundContext(self, self._ctx, self.state)
        self.enterRule(localctx, 58, self.RULE_bound)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 374
            self.match(CpolParser.UP)
            self.state = 375
            self.match(CpolParser.TO)
            self.state = 376
            self.expr()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ScanItemContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def WHEN(self):
            return self.getToken(CpolParser.WHEN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def block(self):
            return self.getTypedRuleContext(CpolParser.BlockContext,0)


        def OTHERWISE(self):
            return self.getToken(CpolParser.OTHERWISE, 0)

        def statement(self):
            return self.getTypedRuleContext(CpolParser.StatementContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_scanItem




    def scanItem(self):

        localctx = CpolParser.ScanItemContext(self, self._ctx, self.state)
        self.enterRule(localctx, 60, self.RULE_scanItem)
        try:
            self.state = 385
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [20]:
                self.enterOuterAlt(localctx, 1)
                self.state = 378
                self.match(CpolParser.WHEN)
                self.state = 379
                self.expr()
                self.state = 380
                self.block()
                pass
            elif token in [21]:
                self.enterOuterAlt(localctx, 2)
                self.state = 382
                self.match(CpolParser.OTHERWISE)
                self.state = 383
                self.block()
                pass
            elif token in [11, 12, 14, 15, 16, 17, 18, 19, 42, 43, 45, 46, 47, 72]:
                self.enterOuterAlt(localctx, 3)
                self.state = 384
                self.statement()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EvictStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def LOWEST(self):
            return self.getToken(CpolParser.LOWEST, 0)

        def name(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NameContext)
            else:
                return self.getTypedRuleContext(CpolParser.NameContext,i)


        def OF(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.OF)
            else:
                return self.getToken(CpolParser.OF, i)

        def bound(self):
            return self.getTypedRuleContext(CpolParser.BoundContext,0)


        def FROM(self):
            return self.getToken(CpolParser.FROM, 0)

        def end(self):
            return self.getTypedRuleContext(CpolParser.EndContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_evictStmt




    def evictStmt(self):

        localctx = CpolParser.EvictStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 62, self.RULE_evictStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 387
            self.match(CpolParser.EVICT)
            self.state = 398
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [22]:
                self.state = 388
                self.match(CpolParser.LOWEST)
                self.state = 389
                self.name()
                self.state = 390
                self.match(CpolParser.OF)
                self.state = 391
                self.bound()
                self.state = 392
                self.match(CpolParser.FROM)
                self.state = 393
                self.end()
                self.state = 394
                self.match(CpolParser.OF)
                self.state = 395
                self.name()
                pass
            elif token in [72]:
                self.state = 397
                self.name()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class StopStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def STOP(self):
            return self.getToken(CpolParser.STOP, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_stopStmt




    def stopStmt(self):

        localctx = CpolParser.StopStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 64, self.RULE_stopStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 400
            self.match(CpolParser.STOP)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class KeepStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def KEEP(self):
            return self.getToken(CpolParser.KEEP, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_keepStmt




    def keepStmt(self):

        localctx = CpolParser.KeepStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 66, self.RULE_keepStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 402
            self.match(CpolParser.KEEP)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PathStmtContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def path(self):
            return self.getTypedRuleContext(CpolParser.PathContext,0)


        def assignOp(self):
            return self.getTypedRuleContext(CpolParser.AssignOpContext,0)


        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_pathStmt




    def pathStmt(self):

        localctx = CpolParser.PathStmtContext(self, self._ctx, self.state)
        self.enterRule(localctx, 68, self.RULE_pathStmt)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 404
            self.path()
            self.state = 409
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [57, 58, 59, 60]:
                self.state = 405
                self.assignOp()
                self.state = 406
                self.expr()
                pass
            elif token in [51]:
                self.state = 408
                self.arguments()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class AssignOpContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def ADD_ASSIGN(self):
            return self.getToken(CpolParser.ADD_ASSIGN, 0)

        def SUB_ASSIGN(self):
            return self.getToken(CpolParser.SUB_ASSIGN, 0)

        def MUL_ASSIGN(self):
            return self.getToken(CpolParser.MUL_ASSIGN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_assignOp




    def assignOp(self):

        localctx = CpolParser.AssignOpContext(self, self._ctx, self.state)
        self.enterRule(localctx, 70, self.RULE_assignOp)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 411
            _la = self._input.LA(1)
            if not((((_la) & ~0x3f) == 0 and ((1 << _la) & 2161727821137838080) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EndContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def HEAD(self):
            return self.getToken(CpolParser.HEAD, 0)

        def TAIL(self):
            return self.getToken(CpolParser.TAIL, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_end




    def end(self):

        localctx = CpolParser.EndContext(self, self._ctx, self.state)
        self.enterRule(localctx, 72, self.RULE_end)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 413
            _la = self._input.LA(1)
            if not(_la==30 or _la==31):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def andExpr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.AndExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.AndExprContext,i)


        def OR(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.OR)
            else:
                return self.getToken(CpolParser.OR, i)

        def getRuleIndex(self):
            return CpolParser.RULE_expr




    def expr(self):

        localctx = CpolParser.ExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 74, self.RULE_expr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 415
            self.andExpr()
            self.state = 420
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==35:
                self.state = 416
                self.match(CpolParser.OR)
                self.state = 417
                self.andExpr()
                self.state = 422
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class AndExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def notExpr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.NotExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.NotExprContext,i)


        def AND(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.AND)
            else:
                return self.getToken(CpolParser.AND, i)

        def getRuleIndex(self):
            return CpolParser.RULE_andExpr




    def andExpr(self):

        localctx = CpolParser.AndExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 76, self.RULE_andExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 423
            self.notExpr()
            self.state = 428
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==34:
                self.state = 424
                self.match(CpolParser.AND)
                self.state = 425
                self.notExpr()
                self.state = 430
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class NotExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def comparison(self):
            return self.getTypedRuleContext(CpolParser.ComparisonContext,0)


        def NOT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.NOT)
            else:
                return self.getToken(CpolParser.NOT, i)

        def getRuleIndex(self):
            return CpolParser.RULE_notExpr




    def notExpr(self):

        localctx = CpolParser.NotExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 78, self.RULE_notExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 434
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==36:
                self.state = 431
                self.match(CpolParser.NOT)
                self.state = 436
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 437
            self.comparison()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ComparisonContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def sum_(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.SumContext)
            else:
                return self.getTypedRuleContext(CpolParser.SumContext,i)


        def compareOp(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.CompareOpContext)
            else:
                return self.getTypedRuleContext(CpolParser.CompareOpContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_comparison




    def comparison(self):

        localctx = CpolParser.ComparisonContext(self, self._ctx, self.state)
        self.enterRule(localctx, 80, self.RULE_comparison)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 439
            self.sum_()
            self.state = 445
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 57)) & ~0x3f) == 0 and ((1 << (_la - 57)) & 1009) != 0):
                self.state = 440
                self.compareOp()
                self.state = 441
                self.sum_()
                self.state = 447
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class CompareOpContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EQ(self):
            return self.getToken(CpolParser.EQ, 0)

        def NE(self):
            return self.getToken(CpolParser.NE, 0)

        def LT(self):
            return self.getToken(CpolParser.LT, 0)

        def LE(self):
            return self.getToken(CpolParser.LE, 0)

        def GT(self):
            return self.getToken(CpolParser.GT, 0)

        def GE(self):
            return self.getToken(CpolParser.GE, 0)

        def ASSIGN(self):
            return self.getToken(CpolParser.ASSIGN, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_compareOp




    def compareOp(self):

        localctx = CpolParser.CompareOpContext(self, self._ctx, self.state)
        self.enterRule(localctx, 82, self.RULE_compareOp)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 448
            _la = self._input.LA(1)
            if not(((((_la - 57)) & ~0x3f) == 0 and ((1 << (_la - 57)) & 1009) != 0)):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class SumContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def term(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.TermContext)
            else:
                return self.getTypedRuleContext(CpolParser.TermContext,i)


        def PLUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.PLUS)
            else:
                return self.getToken(CpolParser.PLUS, i)

        def MINUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.MINUS)
            else:
                return self.getToken(CpolParser.MINUS, i)

        def getRuleIndex(self):
            return CpolParser.RULE_sum




    def sum_(self):

        localctx = CpolParser.SumContext(self, self._ctx, self.state)
        self.enterRule(localctx, 84, self.RULE_sum)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 450
            self.term()
            self.state = 455
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==67 or _la==68:
                self.state = 451
                _la = self._input.LA(1)
                if not(_la==67 or _la==68):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                self.state = 452
                self.term()
                self.state = 457
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TermContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def unary(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.UnaryContext)
            else:
                return self.getTypedRuleContext(CpolParser.UnaryContext,i)


        def STAR(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.STAR)
            else:
                return self.getToken(CpolParser.STAR, i)

        def SLASH(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.SLASH)
            else:
                return self.getToken(CpolParser.SLASH, i)

        def PERCENT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.PERCENT)
            else:
                return self.getToken(CpolParser.PERCENT, i)

        def getRuleIndex(self):
            return CpolParser.RULE_term




    def term(self):

        localctx = CpolParser.TermContext(self, self._ctx, self.state)
        self.enterRule(localctx, 86, self.RULE_term)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 458
            self.unary()
            self.state = 463
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while ((((_la - 69)) & ~0x3f) == 0 and ((1 << (_la - 69)) & 7) != 0):
                self.state = 459
                _la = self._input.LA(1)
                if not(((((_la - 69)) & ~0x3f) == 0 and ((1 << (_la - 69)) & 7) != 0)):
                    self._errHandler.recoverInline(self)
                else:
                    self._errHandler.reportMatch(self)
                    self.consume()
                self.state = 460
                self.unary()
                self.state = 465
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class UnaryContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def primary(self):
            return self.getTypedRuleContext(CpolParser.PrimaryContext,0)


        def MINUS(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.MINUS)
            else:
                return self.getToken(CpolParser.MINUS, i)

        def getRuleIndex(self):
            return CpolParser.RULE_unary




    def unary(self):

        localctx = CpolParser.UnaryContext(self, self._ctx, self.state)
        self.enterRule(localctx, 88, self.RULE_unary)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 469
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==68:
                self.state = 466
                self.match(CpolParser.MINUS)
                self.state = 471
                self._errHandler.sync(self)
                _la = self._input.LA(1)

            self.state = 472
            self.primary()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PrimaryContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def INT(self):
            return self.getToken(CpolParser.INT, 0)

        def FIXED(self):
            return self.getToken(CpolParser.FIXED, 0)

        def TRUE(self):
            return self.getToken(CpolParser.TRUE, 0)

        def FALSE(self):
            return self.getToken(CpolParser.FALSE, 0)

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def expr(self):
            return self.getTypedRuleContext(CpolParser.ExprContext,0)


        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def path(self):
            return self.getTypedRuleContext(CpolParser.PathContext,0)


        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def evictAttr(self):
            return self.getTypedRuleContext(CpolParser.EvictAttrContext,0)


        def laterExpr(self):
            return self.getTypedRuleContext(CpolParser.LaterExprContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_primary




    def primary(self):

        localctx = CpolParser.PrimaryContext(self, self._ctx, self.state)
        self.enterRule(localctx, 90, self.RULE_primary)
        self._la = 0 # Token type
        try:
            self.state = 488
            self._errHandler.sync(self)
            token = self._input.LA(1)
            if token in [74]:
                self.enterOuterAlt(localctx, 1)
                self.state = 474
                self.match(CpolParser.INT)
                pass
            elif token in [73]:
                self.enterOuterAlt(localctx, 2)
                self.state = 475
                self.match(CpolParser.FIXED)
                pass
            elif token in [32]:
                self.enterOuterAlt(localctx, 3)
                self.state = 476
                self.match(CpolParser.TRUE)
                pass
            elif token in [33]:
                self.enterOuterAlt(localctx, 4)
                self.state = 477
                self.match(CpolParser.FALSE)
                pass
            elif token in [51]:
                self.enterOuterAlt(localctx, 5)
                self.state = 478
                self.match(CpolParser.LPAREN)
                self.state = 479
                self.expr()
                self.state = 480
                self.match(CpolParser.RPAREN)
                pass
            elif token in [72]:
                self.enterOuterAlt(localctx, 6)
                self.state = 482
                self.path()
                self.state = 484
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                if _la==51:
                    self.state = 483
                    self.arguments()


                pass
            elif token in [17]:
                self.enterOuterAlt(localctx, 7)
                self.state = 486
                self.evictAttr()
                pass
            elif token in [48]:
                self.enterOuterAlt(localctx, 8)
                self.state = 487
                self.laterExpr()
                pass
            else:
                raise NoViableAltException(self)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class EvictAttrContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def EVICT(self):
            return self.getToken(CpolParser.EVICT, 0)

        def DOT(self):
            return self.getToken(CpolParser.DOT, 0)

        def member(self):
            return self.getTypedRuleContext(CpolParser.MemberContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_evictAttr




    def evictAttr(self):

        localctx = CpolParser.EvictAttrContext(self, self._ctx, self.state)
        self.enterRule(localctx, 92, self.RULE_evictAttr)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 490
            self.match(CpolParser.EVICT)
            self.state = 491
            self.match(CpolParser.DOT)
            self.state = 492
            self.member()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class LaterExprContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def RANDOM(self):
            return self.getToken(CpolParser.RANDOM, 0)

        def arguments(self):
            return self.getTypedRuleContext(CpolParser.ArgumentsContext,0)


        def getRuleIndex(self):
            return CpolParser.RULE_laterExpr




    def laterExpr(self):

        localctx = CpolParser.LaterExprContext(self, self._ctx, self.state)
        self.enterRule(localctx, 94, self.RULE_laterExpr)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 494
            self.match(CpolParser.RANDOM)
            self.state = 496
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if _la==51:
                self.state = 495
                self.arguments()


        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class PathContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def name(self):
            return self.getTypedRuleContext(CpolParser.NameContext,0)


        def DOT(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.DOT)
            else:
                return self.getToken(CpolParser.DOT, i)

        def member(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.MemberContext)
            else:
                return self.getTypedRuleContext(CpolParser.MemberContext,i)


        def getRuleIndex(self):
            return CpolParser.RULE_path




    def path(self):

        localctx = CpolParser.PathContext(self, self._ctx, self.state)
        self.enterRule(localctx, 96, self.RULE_path)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 498
            self.name()
            self.state = 503
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            while _la==56:
                self.state = 499
                self.match(CpolParser.DOT)
                self.state = 500
                self.member()
                self.state = 505
                self._errHandler.sync(self)
                _la = self._input.LA(1)

        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class ArgumentsContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def LPAREN(self):
            return self.getToken(CpolParser.LPAREN, 0)

        def RPAREN(self):
            return self.getToken(CpolParser.RPAREN, 0)

        def expr(self, i:int=None):
            if i is None:
                return self.getTypedRuleContexts(CpolParser.ExprContext)
            else:
                return self.getTypedRuleContext(CpolParser.ExprContext,i)


        def COMMA(self, i:int=None):
            if i is None:
                return self.getTokens(CpolParser.COMMA)
            else:
                return self.getToken(CpolParser.COMMA, i)

        def getRuleIndex(self):
            return CpolParser.RULE_arguments




    def arguments(self):

        localctx = CpolParser.ArgumentsContext(self, self._ctx, self.state)
        self.enterRule(localctx, 98, self.RULE_arguments)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 506
            self.match(CpolParser.LPAREN)
            self.state = 515
            self._errHandler.sync(self)
            _la = self._input.LA(1)
            if ((((_la - 17)) & ~0x3f) == 0 and ((1 << (_la - 17)) & 254453398274408449) != 0):
                self.state = 507
                self.expr()
                self.state = 512
                self._errHandler.sync(self)
                _la = self._input.LA(1)
                while _la==54:
                    self.state = 508
                    self.match(CpolParser.COMMA)
                    self.state = 509
                    self.expr()
                    self.state = 514
                    self._errHandler.sync(self)
                    _la = self._input.LA(1)



            self.state = 517
            self.match(CpolParser.RPAREN)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class MemberContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def LIST(self):
            return self.getToken(CpolParser.LIST, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_member




    def member(self):

        localctx = CpolParser.MemberContext(self, self._ctx, self.state)
        self.enterRule(localctx, 100, self.RULE_member)
        self._la = 0 # Token type
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 519
            _la = self._input.LA(1)
            if not(_la==4 or _la==72):
                self._errHandler.recoverInline(self)
            else:
                self._errHandler.reportMatch(self)
                self.consume()
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class NameContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_name




    def name(self):

        localctx = CpolParser.NameContext(self, self._ctx, self.state)
        self.enterRule(localctx, 102, self.RULE_name)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 521
            self.match(CpolParser.IDENT)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx


    class TypeNameContext(ParserRuleContext):
        __slots__ = 'parser'

        def __init__(self, parser, parent:ParserRuleContext=None, invokingState:int=-1):
            super().__init__(parent, invokingState)
            self.parser = parser

        def IDENT(self):
            return self.getToken(CpolParser.IDENT, 0)

        def getRuleIndex(self):
            return CpolParser.RULE_typeName




    def typeName(self):

        localctx = CpolParser.TypeNameContext(self, self._ctx, self.state)
        self.enterRule(localctx, 104, self.RULE_typeName)
        try:
            self.enterOuterAlt(localctx, 1)
            self.state = 523
            self.match(CpolParser.IDENT)
        except RecognitionException as re:
            localctx.exception = re
            self._errHandler.reportError(self, re)
            self._errHandler.recover(self, re)
        finally:
            self.exitRule()
        return localctx





